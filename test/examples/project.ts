import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from 'vitest';
import { BLOB, type Client, CORE } from '../support/client.js';
import { makeFixtures } from '../support/fixtures.js';
import { copyProject, type ProjectCopy } from '../support/project.js';
import { ROOT, type RunningServer, startServer } from '../support/server.js';

const run = promisify(execFile);

/** The names of the descriptors in examples/, sorted. */
export const EXAMPLES: readonly string[] = readdirSync(join(ROOT, 'examples'))
  .flatMap((file) => (file.endsWith('.yaml') ? [file.slice(0, -'.yaml'.length)] : []))
  .sort();

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
export type Answer = any;

export interface ServedExamples {
  readonly project: ProjectCopy;
  readonly client: Client;
  readonly accountId: string;
  /** One call: the answer, or `{ error, ... }`. */
  call(name: string, args?: object): Promise<Answer>;
  /** Creates one object that must be accepted: its id and what the server set. */
  create(type: string, object: object): Promise<Answer>;
  /** Updates one object: what the server set, or the SetError. */
  update(type: string, id: string, patch: object): Promise<Answer>;
  /** Destroys one object: undefined, or the SetError. */
  destroy(type: string, id: string): Promise<Answer>;
  read(type: string, id: string): Promise<Answer>;
  ids(type: string, args?: object): Promise<string[]>;
}

/** What an update reports that made the server set nothing but the time of it. */
export const DONE = { updated: expect.any(String) };

/** All examples in one copy of the project, generated and served as a user would. */
export function useExamples(
  env: () => Promise<Record<string, string>> = async () => ({}),
): () => ServedExamples {
  let project: ProjectCopy | undefined;
  let server: RunningServer | undefined;
  let served: ServedExamples | undefined;
  beforeAll(async () => {
    project = await copyProject(EXAMPLES.map((name) => join(ROOT, 'examples', `${name}.yaml`)));
    // Here, where it may take its time: a server has to be up within a minute.
    const built = await project.npm('build');
    if (built.code !== 0) throw new Error(`npm run build: ${built.stdout}${built.stderr}`);
    server = await startServer({ project: project.root, env: await env() });
    const { u1, A1 } = await makeFixtures(server, []);
    const capabilities = EXAMPLES.map((name) => `https://example.com/jmap/${name}`);
    served = { project, ...calls(u1.with([CORE, BLOB, ...capabilities]), A1) };
  }, 300_000);
  afterAll(async () => {
    await server?.remove();
    await project?.remove();
  });
  return () => {
    if (served === undefined) throw new Error('The examples are served inside tests only.');
    return served;
  };
}

function calls(client: Client, accountId: string): Omit<ServedExamples, 'project'> {
  const call = async (name: string, args: object = {}): Promise<Answer> => {
    const [answered, response] = await client.call(name, { accountId, ...args });
    return answered === name ? response : { error: response['type'], ...response };
  };
  const set = async (type: string, args: object): Promise<Answer> => call(`${type}/set`, args);
  return {
    client,
    accountId,
    call,
    async create(type, object) {
      const answer = await set(type, { create: { k: object } });
      if (answer.created?.k === undefined) throw new Error(JSON.stringify(answer));
      return answer.created.k;
    },
    async update(type, id, patch) {
      const answer = await set(type, { update: { [id]: patch } });
      return answer.notUpdated?.[id] ?? answer.updated[id];
    },
    async destroy(type, id) {
      const answer = await set(type, { destroy: [id] });
      return answer.notDestroyed?.[id];
    },
    async read(type, id) {
      return (await call(`${type}/get`, { ids: [id] })).list[0];
    },
    async ids(type, args = {}) {
      const answer = await call(`${type}/query`, args);
      if (answer.ids === undefined) throw new Error(JSON.stringify(answer));
      return answer.ids;
    },
  };
}

/** What the compiler says of generated modules and hook files; nothing where all is well. */
export async function compileExamples(project: ProjectCopy): Promise<string> {
  const config = join(project.root, 'tsconfig.examples.json');
  const include = ['src', 'generated', 'capabilities/*.hooks.ts'];
  await writeFile(config, JSON.stringify({ extends: './tsconfig.json', include }));
  const tsc = join(project.root, 'node_modules/typescript/bin/tsc');
  try {
    return (await run(process.execPath, [tsc, '-p', config])).stdout;
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}
