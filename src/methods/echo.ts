import type { JsonObject } from '../protocol/json.js';

/** Core/echo (RFC 8620 4): the arguments as they came, result references resolved. */
export function echo(args: JsonObject): JsonObject {
  return args;
}
