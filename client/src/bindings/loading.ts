import type { LiveSnapshot } from '../cache/cached-types.js';

/** An empty list to show before there is one: on a server, or until a client has connected. */
export const LOADING: LiveSnapshot<never> = Object.freeze({
  rows: Object.freeze([]),
  total: 0,
  status: 'loading',
  complete: false,
  approximate: false,
});
