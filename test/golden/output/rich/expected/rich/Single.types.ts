// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

/**
 * What an account prefers.
 */
export interface Single {
  /**
   * The id that the server gave the object. Set by the server.
   */
  id: string;
  /**
   * When the object was created. Set by the server.
   */
  created: string;
  /**
   * When the object was last changed. Set by the server.
   */
  updated: string;
  theme: ("dark" | "light");
}

/**
 * What a client gives to create a Single.
 */
export interface SingleCreate {
  theme?: ("dark" | "light");
}

/**
 * A PatchObject (RFC 8620 5.3): new values, null for the default, further members by JSON Pointer.
 */
export interface SinglePatch {
  theme?: (("dark" | "light") | null);
  [k: string]: unknown;
}

/**
 * A FilterCondition of Single/query; null adds no constraint unless the property may be null.
 */
export interface SingleFilter {

}
