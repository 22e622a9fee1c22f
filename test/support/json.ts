/** What a test may receive: JSON as it comes, checked by `expect` and not by types. */
export type Json = null | boolean | number | string | Json[] | JsonMap;

export interface JsonMap {
  [name: string]: Json;
}

/** A record as /get lists it. */
export type Item = JsonMap & { id: string };
