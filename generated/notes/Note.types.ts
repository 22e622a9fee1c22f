// Generated from capabilities/notes.yaml by `npm run generate`. Change the descriptor, not this file.

/**
 * A text with a title.
 */
export interface Note {
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
   * What the note is about.
   */
  title: string;
  /**
   * The text of the note.
   */
  body: string;
}

/**
 * What a client gives to create a Note.
 */
export interface NoteCreate {
  /**
   * What the note is about.
   */
  title?: string;
  /**
   * The text of the note.
   */
  body?: string;
}

/**
 * A PatchObject (RFC 8620 5.3): new values, null for the default, further members by JSON Pointer.
 */
export interface NotePatch {
  /**
   * What the note is about.
   */
  title?: (string | null);
  /**
   * The text of the note.
   */
  body?: (string | null);
  [k: string]: unknown;
}

/**
 * A FilterCondition of Note/query; null adds no constraint unless the property may be null.
 */
export interface NoteFilter {
  /**
   * title: Contains the text, in any letter case.
   */
  title?: (string | null);
  /**
   * body: Contains the text, in any letter case.
   */
  body?: (string | null);
}
