/** All sizes in bytes. */
export interface ExtractOptions {
  /** The whole body. Default 40 MB. */
  maxBody?: number;
  /** The body without its contents and without long strings. Default 40 MB. */
  maxSkeleton?: number;
  /** JSON values in the skeleton, which bounds the memory of many small values. Default 250,000. */
  maxValues?: number;
  /** A string in UTF-16 units. A longer one is validated and replaced by an OversizedString. Default 64 Ki. */
  maxString?: number;
  /** The `html` or `text` of an email in UTF-16 units. A longer one goes to the sink. Default 16 Ki. */
  maxInlineText?: number;
  /** Nesting of arrays and objects. Default 32. */
  maxDepth?: number;
  /** One content, decoded. Default 24 MiB. */
  maxContent?: number;
  /** The contents of one email, decoded. Default 24 MiB. */
  maxCombined?: number;
  /**
   * Handling of a content that is invalid or too large, and of an array or object nested too deeply: "throw" ends the parse; "keep" aborts
   * its writer, puts a RefusedContent in the skeleton and continues, for a batch, where it is the error of one item only.
   */
  errors?: "throw" | "keep";
  /** True when contents and long texts go to the sink. Default true; if false, they are treated like other strings. */
  extracts?: boolean;
  /** The field of an attachment that has its content in base64. Default `content_base64`. */
  contentField?: string;
  /** Is told after each chunk how much memory the skeleton takes, as an estimate in bytes. May throw, or wait. */
  onHeld?: (bytes: number) => void | Promise<void>;
}
