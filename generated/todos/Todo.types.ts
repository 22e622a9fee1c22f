// Generated from capabilities/todos.yaml by `npm run generate`. Change the descriptor, not this file.

/**
 * One thing to do.
 */
export interface Todo {
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
  /**
   * What is to be done.
   */
  text: string;
  /**
   * Whether it is done.
   */
  done: boolean;
}

/**
 * What a client gives to create a Todo.
 */
export interface TodoCreate {
  /**
   * What is to be done.
   */
  text: string;
  /**
   * Whether it is done.
   */
  done?: boolean;
}

/**
 * A PatchObject (RFC 8620 5.3): new values, null for the default, further members by JSON Pointer.
 */
export interface TodoPatch {
  /**
   * What is to be done.
   */
  text?: string;
  /**
   * Whether it is done.
   */
  done?: (boolean | null);
  [k: string]: unknown;
}

/**
 * A FilterCondition of Todo/query; null adds no constraint unless the property may be null.
 */
export interface TodoFilter {
  /**
   * text: Contains the text, in any letter case.
   */
  text?: (string | null);
  /**
   * done: The same value.
   */
  done?: (boolean | null);
}
