// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

/**
 * Something with many parts.
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
  kind: ("small" | "large");
  rank: number;
  score: (number | null);
  /**
   * Set by the server.
   */
  count: number;
  due: (string | null);
  starts: (string | null);
  local: (string | null);
  tags: {
    [k: string]: true;
  };
  meta: {
    a?: {
      b?: {
        c?: number;
      };
    };
    note?: (string | null);
  };
  /**
   * Where it stands.
   */
  home: Address;
  /**
   * @maxItems 50
   */
  list: string[];
  parentId: (string | null);
  links: {
    [k: string]: true;
  };
  blobId: (string | null);
  /**
   * @deprecated Use tags.
   */
  colour: string;
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
  kind?: ("small" | "large");
  rank?: number;
  score?: (number | null);
  due?: (string | null);
  starts?: (string | null);
  local?: (string | null);
  tags?: {
    [k: string]: true;
  };
  meta?: {
    a?: {
      b?: {
        c?: number;
      };
    };
    note?: (string | null);
  };
  /**
   * Where it stands.
   */
  home?: Address;
  /**
   * @maxItems 50
   */
  list?: string[];
  parentId?: (string | null);
  links?: {
    [k: string]: true;
  };
  blobId?: (string | null);
  /**
   * Secret: never shown.
   */
  pin?: (string | null);
  /**
   * @deprecated Use tags.
   */
  colour?: string;
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
  kind?: (("small" | "large") | null);
  rank?: (number | null);
  score?: (number | null);
  due?: (string | null);
  starts?: (string | null);
  local?: (string | null);
  tags?: ({
    [k: string]: true;
  } | null);
  meta?: ({
    a?: {
      b?: {
        c?: number;
      };
    };
    note?: (string | null);
  } | null);
  /**
   * Where it stands.
   */
  home?: (Address | null);
  /**
   * @maxItems 50
   */
  list?: (string[] | null);
  parentId?: (string | null);
  links?: ({
    [k: string]: true;
  } | null);
  blobId?: (string | null);
  /**
   * Secret: never shown.
   */
  pin?: (string | null);
  /**
   * @deprecated Use tags.
   */
  colour?: (string | null);
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
   * kind: One of the values of a list.
   */
  kind?: (string[] | null);
  /**
   * rank: The number or a greater one.
   */
  minRank?: (number | null);
  /**
   * due: Before the date.
   */
  dueBefore?: (string | null);
  /**
   * starts: At the date or after it.
   */
  startsAfter?: (string | null);
  /**
   * tags: The set or map has the key.
   */
  hasTag?: (string | null);
  /**
   * list: The list has the item.
   */
  listed?: (string | null);
  /**
   * title, code: Has every word of the text, in any letter case.
   */
  text?: (string | null);
  /**
   * parentId: The same value.
   */
  parentId?: (string | null);
}

/**
 * A Gadget as hooks see it: internal and secret properties too.
 */
export interface GadgetStored {
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
  kind: ("small" | "large");
  rank: number;
  score: (number | null);
  /**
   * Set by the server.
   */
  count: number;
  due: (string | null);
  starts: (string | null);
  local: (string | null);
  tags: {
    [k: string]: true;
  };
  meta: {
    a?: {
      b?: {
        c?: number;
      };
    };
    note?: (string | null);
  };
  /**
   * Where it stands.
   */
  home: Address;
  /**
   * @maxItems 50
   */
  list: string[];
  parentId: (string | null);
  links: {
    [k: string]: true;
  };
  blobId: (string | null);
  /**
   * Never on the wire.
   */
  cost: number;
  /**
   * What is kept of the secret: a hash.
   */
  pin: (string | null);
  /**
   * @deprecated Use tags.
   */
  colour: string;
}

/**
 * Arguments of Gadget/query beside the standard ones.
 */
export interface GadgetQueryArguments {
  /**
   * One of each kind.
   */
  collapse?: boolean;
}

/**
 * Members of the response of Gadget/query beside the standard ones.
 */
export interface GadgetQueryResponse {
  collapsed: number;
}

/**
 * Where it stands.
 */
export interface Address {
  street?: string;
  floor?: (number | null);
}
