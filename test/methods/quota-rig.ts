import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from '../../scripts/generator/command.js';
import { capture, REPOSITORY } from '../scripts/generator/project.js';
import { type Served, serve } from '../scripts/generator/random/serve.js';

// biome-ignore lint/suspicious/noExplicitAny: expectations walk into answers of any shape
export type Json = any;

export const QUOTA = 'urn:ietf:params:jmap:quota';
export const BOARDS = 'urn:example:boards';
export const PLAIN = 'urn:example:plain';

/** Types with quotas, one that none names, and plans. */
export const BOARDS_YAML = `capability: ${BOARDS}
quotas:
  cards: { types: [Card], count: 10, warn: 50%, soft: 80%, description: Cards of this account. }
  storage: { types: [Board, Card], octets: 4kB, warn: 3kB }
  boards: { types: [Board], count: 100 }
plans:
  small: { cards: 5, storage: 1kB }
  large: { cards: 1000 }
types:
  Board:
    properties:
      name: { type: string, maxLength: 4000, default: '' }
    filter: { name: equals }
  Card:
    properties:
      boardId: { type: [string, 'null'], references: Board, onDestroy: cascade }
      text: { type: string, maxLength: 4000, default: '' }
    filter: { boardId: equals }
`;

export const PLAIN_YAML = `capability: ${PLAIN}
quotas:
  plains: { types: [Plain], count: 3 }
types:
  Plain: { properties: { text: { type: string, default: '' } } }
  Free: { properties: { text: { type: string, default: '' } } }
`;

export interface QuotaProject {
  readonly root: string;
  remove(): Promise<void>;
}

/** Makes a project of these descriptors: a new one, or the next version of another. */
export async function makeProject(
  descriptors: Readonly<Record<string, string>>,
  before?: QuotaProject,
): Promise<QuotaProject> {
  const root = await mkdtemp(join(tmpdir(), 'jmapsmith-quota-'));
  if (before !== undefined) await cp(before.root, root, { recursive: true });
  else {
    await mkdir(join(root, 'node_modules'));
    await symlink(REPOSITORY, join(root, 'node_modules', 'jmapsmith'));
    await writeFile(join(root, 'package.json'), '{ "type": "module", "private": true }\n');
    await mkdir(join(root, 'capabilities'));
  }
  for (const [name, text] of Object.entries(descriptors))
    await writeFile(join(root, 'capabilities', name), text);
  const run = { root, check: false, dryRun: false, watch: false };
  const { code, stderr } = await capture(() => generate(run));
  if (code !== 0) throw new Error(stderr);
  // Its migrations are released: the next version adds another.
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...who, 'commit', '-q', '-m', 'all'],
  ])
    execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

/** A server of a project with quotas. */
export class QuotaRig {
  readonly served: Served;

  constructor(served: Served) {
    this.served = served;
  }

  call(name: string, args: object = {}): Promise<Json> {
    return this.served.call(name, args);
  }

  /** Creates cards with these texts. */
  cards(...texts: readonly string[]): Promise<Json> {
    const create = Object.fromEntries(texts.map((text, at) => [`k${at}`, { text }]));
    return this.call('Card/set', { create });
  }

  /** Resolves to the quota of a name. */
  async quota(name: string): Promise<Json> {
    const { list } = await this.call('Quota/get', { ids: null });
    return list.find((quota: Json) => quota.name === name);
  }

  /** Resolves to the octets of all objects that count in `storage`, as /get gives them. */
  async octets(): Promise<number> {
    let octets = 0;
    for (const type of ['Board', 'Card']) {
      const { list } = await this.call(`${type}/get`, { ids: null });
      for (const object of list) octets += Buffer.byteLength(JSON.stringify(object));
    }
    return octets;
  }
}

/** Serves a project from a new database, the one of `url`, or that of the folder `kept`. */
export async function serveQuotas(root: string, url?: string, kept?: string): Promise<QuotaRig> {
  return new QuotaRig(await serve(root, url, kept));
}
