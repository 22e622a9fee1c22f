import { join } from 'node:path';
import { makeProject, type StartedJmapsmith, startJmapsmith } from '../start/jmapsmith.js';
import { ROOT } from '../start/processes.js';

/** Types whose values are as large, and as slow to judge and store, as a descriptor allows. */
const DESCRIPTOR = `capability: urn:example:waits
types:
  Page:
    description: Long texts with an index for searching.
    properties:
      body: { type: string, maxLength: 10000000, default: '' }
      done: { type: boolean, default: false }
    filter:
      body: { is: contains, indexed: true }
      words: { property: body, is: text, indexed: true }
      done: equals
  Sheet:
    description: Long texts that are folded for filters and sorts.
    properties:
      text: { type: string, maxLength: 10000000, default: '' }
      title: { type: string, maxLength: 200, default: '' }
    filter:
      text: contains
      start: { property: text, is: startsWith }
      title: in
    sort: [text, title]
  Bag:
    description: Much in one object.
    acceptSnakeCase: true
    properties:
      meta: { type: object, additionalProperties: true, maxProperties: 100000, default: {} }
      list: { type: array, items: { type: integer }, maxItems: 100000, default: [] }
      tags: { setOf: string, maxLength: 50, maxProperties: 100000, default: {} }
      links: { setOf: Bag, onDestroy: setNull, maxProperties: 100000, default: {} }
      code: { type: [string, 'null'], maxLength: 500, unique: true }
  Word:
    description: A pattern that RegExp takes the fourth power of the length for.
    properties:
      word: { type: string, maxLength: 65535, pattern: 'a[ab]*b[ab]*b[ab]*c', default: abbc }
  Vault:
    description: Secrets that are hashed.
    properties:
      password: { type: [string, 'null'], access: secret, maxLength: 100 }
`;

export const USING = [
  'urn:ietf:params:jmap:core',
  'urn:ietf:params:jmap:blob',
  'urn:ietf:params:jmap:websocket',
  'urn:example:waits',
];

export interface WaitsServer extends StartedJmapsmith {
  /** Of the user who is polled for. */
  readonly other: { readonly token: string; readonly accountId: string };
}

/** Starts a server with a second user, on SQLite where `databaseUrl` is null. */
export async function startWaitsServer(
  folder: string,
  databaseUrl: string | null,
  nodeOptions: readonly string[],
): Promise<WaitsServer> {
  const project = await makeProject(join(folder, 'project'), ROOT, DESCRIPTOR);
  const server = await startJmapsmith({
    ...{ name: 'jmapsmith', folder, root: ROOT, project, nodeOptions },
    ...(databaseUrl === null ? {} : { databaseUrl }),
  });
  const accountId = await server.tool('account', 'create', '--name', 'other', '--user', 'other');
  const token = await server.tool('token', 'create', '--user', 'other');
  return { ...server, other: { token, accountId } };
}
