// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

/**
 * A gadget. Not * / the end of a comment,
 * and "quotes" don't hurt.
 */
export interface Gadget {
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
   * What it is called.
   */
  title: string;
  code: (string | null);
  /**
   * Immutable.
   */
  kind: ("small" | "large" | "it's");
  rank: number;
  level: (1 | 2 | 3 | null);
  score: (number | null);
  ratio: number;
  /**
   * Set by the server.
   */
  count: number;
  due: (string | null);
  start: string;
  done: boolean;
  meta: {
    a?: {
      b?: {
        c?: number;
      };
    };
    note: (string | null);
    at?: string;
  };
  /**
   * @maxItems 50
   */
  list: string[];
  /**
   * @maxItems 1000
   */
  points: number[];
  names: {
    [k: string]: string;
  };
  extra: ({
    [k: string]: unknown;
  } | null);
  /**
   * A picture.
   */
  blobId: (string | null);
}

/**
 * What a client gives to create a Gadget.
 */
export interface GadgetCreate {
  /**
   * What it is called.
   */
  title: string;
  code?: (string | null);
  /**
   * Immutable.
   */
  kind?: ("small" | "large" | "it's");
  rank?: number;
  level?: (1 | 2 | 3 | null);
  score?: (number | null);
  ratio?: number;
  due?: (string | null);
  start?: string;
  done?: boolean;
  meta?: {
    a?: {
      b?: {
        c?: number;
      };
    };
    note: (string | null);
    at?: string;
  };
  /**
   * @maxItems 50
   */
  list?: string[];
  /**
   * @maxItems 1000
   */
  points?: number[];
  names?: {
    [k: string]: string;
  };
  extra?: ({
    [k: string]: unknown;
  } | null);
  /**
   * A picture.
   */
  blobId?: (string | null);
}

/**
 * A PatchObject (RFC 8620 5.3): new values, null for the default, further members by JSON Pointer.
 */
export interface GadgetPatch {
  /**
   * What it is called.
   */
  title?: string;
  code?: (string | null);
  /**
   * Immutable.
   */
  kind?: (("small" | "large" | "it's") | null);
  rank?: (number | null);
  level?: (1 | 2 | 3 | null);
  score?: (number | null);
  ratio?: (number | null);
  due?: (string | null);
  start?: (string | null);
  done?: (boolean | null);
  meta?: ({
    a?: {
      b?: {
        c?: number;
      };
    };
    note: (string | null);
    at?: string;
  } | null);
  /**
   * @maxItems 50
   */
  list?: (string[] | null);
  /**
   * @maxItems 1000
   */
  points?: (number[] | null);
  names?: ({
    [k: string]: string;
  } | null);
  extra?: ({
    [k: string]: unknown;
  } | null);
  /**
   * A picture.
   */
  blobId?: (string | null);
  [k: string]: unknown;
}

/**
 * A FilterCondition of Gadget/query; null adds no constraint unless the property may be null.
 */
export interface GadgetFilter {
  /**
   * title: Contains the text, in any letter case.
   */
  title?: (string | null);
  /**
   * The first letters of the title.
   */
  titleStart?: (string | null);
  /**
   * kind: One of the values of a list.
   */
  kind?: (string[] | null);
  /**
   * code: The same value.
   */
  code?: (string | null);
  /**
   * code: True: null. False: any value.
   */
  noCode?: (boolean | null);
  /**
   * extra: True: null. False: any value.
   */
  noExtra?: (boolean | null);
  /**
   * rank: The number or a greater one.
   */
  minRank?: (number | null);
  /**
   * score: The number or a lesser one.
   */
  maxScore?: (number | null);
  /**
   * level: One of the values of a list.
   */
  levels?: (number[] | null);
  /**
   * due: Before the date.
   */
  dueBefore?: (string | null);
  /**
   * due: One of the values of a list.
   */
  dueAt?: (string[] | null);
  /**
   * created: At the date or after it.
   */
  createdAfter?: (string | null);
  /**
   * done: The same value.
   */
  done?: (boolean | null);
  /**
   * id: One of the values of a list.
   */
  ids?: (string[] | null);
}
