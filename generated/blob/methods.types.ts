// Generated from capabilities/blob.yaml by `npm run generate`. Change the descriptor, not this file.

/**
 * Arguments of Blob/upload.
 */
export interface BlobUploadArguments {
  /**
   * The account that the blobs are created in.
   */
  accountId: string;
  /**
   * UploadObjects by creation id.
   */
  create: {
    [k: string]: unknown;
  };
}

/**
 * Response of Blob/upload.
 */
export interface BlobUploadResponse {
  accountId: string;
  /**
   * Blobs have no state.
   */
  oldState?: (string | null);
  /**
   * Blobs have no state.
   */
  newState?: (string | null);
  /**
   * What was created, by creation id.
   */
  created: ({
    [k: string]: {
      /**
       * The id of the blob.
       */
      id: string;
      /**
       * The same as id.
       */
      blobId: string;
      /**
       * Its media type.
       */
      type: (string | null);
      /**
       * Its octets.
       */
      size: number;
    };
  } | null);
  /**
   * SetErrors by creation id.
   */
  notCreated: ({
    [k: string]: unknown;
  } | null);
}

/**
 * Arguments of Blob/get.
 */
export interface BlobGetArguments {
  /**
   * The account of the blobs.
   */
  accountId: string;
  /**
   * The blobs to read.
   */
  ids: (string[] | null);
  /**
   * What to answer of each; data and size where not given.
   */
  properties?: (string[] | null);
  /**
   * The first octet of the range; 0 where not given.
   */
  offset?: (number | null);
  /**
   * The octets of the range; all that follow where not given.
   */
  length?: (number | null);
}

/**
 * Response of Blob/get.
 */
export interface BlobGetResponse {
  accountId: string;
  list: {
    id: string;
    "data:asText"?: (string | null);
    "data:asBase64"?: string;
    isEncodingProblem?: boolean;
    isTruncated?: boolean;
    /**
     * The octets of the whole blob.
     */
    size?: number;
    [k: string]: unknown;
  }[];
  notFound: string[];
}

/**
 * Arguments of Blob/lookup.
 */
export interface BlobLookupArguments {
  /**
   * The account of the blobs.
   */
  accountId: string;
  /**
   * The data types to look in.
   */
  typeNames: string[];
  /**
   * The blobs to look for.
   */
  ids: string[];
}

/**
 * Response of Blob/lookup.
 */
export interface BlobLookupResponse {
  accountId: string;
  list: {
    /**
     * The blob.
     */
    id: string;
    /**
     * By type name, the ids of the objects that refer to the blob.
     */
    matchedIds: {
      [k: string]: string[];
    };
  }[];
  notFound: string[];
}
