// Generated from capabilities/core.yaml by `npm run generate`. Change the descriptor, not this file.

/**
 * Arguments of Core/echo.
 */
export interface CoreEchoArguments {
  [k: string]: unknown;
}

/**
 * Response of Core/echo.
 */
export interface CoreEchoResponse {
  [k: string]: unknown;
}

/**
 * Arguments of Blob/copy.
 */
export interface BlobCopyArguments {
  /**
   * The account to copy from.
   */
  fromAccountId: string;
  /**
   * The account to copy to.
   */
  accountId: string;
  /**
   * The blobs to copy.
   */
  blobIds: string[];
}

/**
 * Response of Blob/copy.
 */
export interface BlobCopyResponse {
  fromAccountId: string;
  accountId: string;
  /**
   * The id in the source account to the id in the target; null where there is none.
   */
  copied: ({
    [k: string]: string;
  } | null);
  /**
   * SetErrors by blob id; null where there is none.
   */
  notCopied: ({
    [k: string]: unknown;
  } | null);
}
