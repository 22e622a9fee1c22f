import { expect } from 'expect';
import type { Json, JsonMap } from '../client/json.js';
import { at } from '../expected.js';
import type { Server } from '../subject/server.js';

/** RFC 8620 3.7: two calls of Core/echo, the second of which refers to the first. */

/** Returns a reference to the answer of the echo `source`. */
export const buildReference = (path: Json, more: JsonMap = {}): JsonMap => ({
  resultOf: 'source',
  name: 'Core/echo',
  path,
  ...more,
});

/**
 * Echoes `value`, then the value that `path` finds in that response. Returns the name and the
 * arguments of the second response.
 */
async function resolve(server: Server, value: JsonMap, path: Json): Promise<[string, JsonMap]> {
  return await refer(server, value, { '#x': buildReference(path) });
}

/**
 * Echoes `value`, then `args`, which refer to it. Returns the name and the arguments of the second
 * response.
 */
export async function refer(
  server: Server,
  value: JsonMap,
  args: JsonMap,
): Promise<[string, JsonMap]> {
  const { methodResponses } = await server.user.buildClient().api([
    ['Core/echo', value, 'source'],
    ['Core/echo', args, 'target'],
  ]);
  expect(methodResponses).toHaveLength(2);
  expect(at(methodResponses, 0)).toEqual(['Core/echo', value, 'source']);
  const [name, answer, callId] = at(methodResponses, 1);
  expect(callId).toBe('target');
  return [name, answer];
}

/** Expects each path to find its value in an object (RFC 8620 3.7). */
export async function expectFound(
  server: Server,
  cases: readonly (readonly [value: JsonMap, path: string, found: Json])[],
): Promise<void> {
  for (const [value, path, found] of cases)
    expect([path, await resolve(server, value, path)]).toEqual([path, ['Core/echo', { x: found }]]);
}

/** Expects each path to find nothing in a value: the call fails with invalidResultReference. */
export async function expectNotFound(
  server: Server,
  value: JsonMap,
  ...paths: readonly string[]
): Promise<void> {
  const failed = server.matchError('invalidResultReference');
  for (const path of paths)
    expect([path, await resolve(server, value, path)]).toEqual([path, failed]);
}
