/** Lists errors of rows or messages, below the result that they belong to. Nothing when there are none. */
export const ErrorList = ({ errors }: { errors: readonly string[] }) =>
  errors.length === 0 ? null : (
    <ul>
      {errors.map((error) => (
        <li>{error}</li>
      ))}
    </ul>
  );
