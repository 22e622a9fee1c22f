// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

export interface Class {
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
  delete: boolean;
}

/**
 * What a client gives to create a Class.
 */
export interface ClassCreate {
  delete?: boolean;
}

/**
 * A PatchObject (RFC 8620 5.3): new values, null for the default, further members by JSON Pointer.
 */
export interface ClassPatch {
  delete?: (boolean | null);
  [k: string]: unknown;
}

/**
 * A FilterCondition of Class/query; null adds no constraint unless the property may be null.
 */
export interface ClassFilter {
  /**
   * delete: The same value.
   */
  delete?: (boolean | null);
}
