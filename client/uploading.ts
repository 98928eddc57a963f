const MEBIBYTE = 1024 * 1024;

const inMiB = (bytes: number) => (bytes / MEBIBYTE).toFixed(1);

/**
 * Posts a form and returns the finished request, whose status is 0 when the connection broke. `show` gets the progress in words,
 * such as `Uploading 3.2 of 24.0 MiB`, and as a number up to 1.
 */
export function upload(
  url: string,
  form: FormData,
  show: (text: string, share: number) => void,
): Promise<XMLHttpRequest> {
  const request = new XMLHttpRequest();
  request.upload.addEventListener("progress", ({ loaded, total }) =>
    show(`Uploading ${inMiB(loaded)} of ${inMiB(total)} MiB`, loaded / total),
  );
  request.open("POST", url);
  request.send(form);
  return new Promise((resolve) => request.addEventListener("loadend", () => resolve(request)));
}
