import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createProject, type Project } from '../scripts/generator/project.js';
import { type Answer, type Served, serve } from '../scripts/generator/random/serve.js';
import { ROOT } from '../support/server.js';

/** Makes and generates a project of files of this folder: `names.yaml`, `names.hooks.ts`. */
export function generated(...files: readonly string[]): Promise<Project> {
  return generatedOf('language', ...files);
}

/** Does the same with the files of another folder of tests. */
export async function generatedOf(folder: string, ...files: readonly string[]): Promise<Project> {
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(join(ROOT, 'test', folder, file), 'utf8')]),
  );
  const project = await createProject(Object.fromEntries(texts));
  await regenerate(project);
  return project;
}

/** Makes the next version of a project: with its migrations, and other descriptors. */
export async function nextVersion(
  before: Project,
  descriptors: Record<string, string>,
): Promise<Project> {
  const project = await createProject(descriptors);
  for (const [path, content] of Object.entries(await before.tree('prisma')))
    await project.write(join('prisma', path), content);
  project.release();
  return project;
}

/** Generates, and expects that nothing is wrong. */
export async function regenerate(project: Project): Promise<void> {
  const { code, stderr } = await project.generate();
  expect(stderr).toBe('');
  expect(code).toBe(0);
}

/** Serves the project on a database, and calls methods of one type there. */
export async function serveType(
  project: Project,
  type: string,
  { url, folder }: { readonly url?: string | undefined; readonly folder?: string } = {},
): Promise<Typed> {
  return new Typed(await serve(project.root, url, folder), type);
}

export class Typed {
  readonly served: Served;
  readonly type: string;

  constructor(served: Served, type: string) {
    this.served = served;
    this.type = type;
  }

  /** Returns the same server for another type. */
  of(type: string): Typed {
    return new Typed(this.served, type);
  }

  call(verb: string, args: object = {}): Promise<Answer> {
    return this.served.call(`${this.type}/${verb}`, args);
  }

  /** Creates one object: `[id, what the response tells of it]`. */
  async create(object: object): Promise<readonly [id: string, told: Answer]> {
    const answer = await this.call('set', { create: { k: object } });
    expect(answer.notCreated).toBeNull();
    return [answer.created.k.id, answer.created.k];
  }

  /** Updates one object: what the response tells of it. */
  async update(id: string, patch: object): Promise<Answer> {
    const answer = await this.call('set', { update: { [id]: patch } });
    expect(answer.notUpdated).toBeNull();
    return answer.updated[id];
  }

  /** The SetError of a create, or of an update of `id`. */
  async refuse(object: object, id?: string): Promise<Answer> {
    const { notCreated, notUpdated } = await this.call(
      'set',
      id === undefined ? { create: { k: object } } : { update: { [id]: object } },
    );
    return id === undefined ? notCreated.k : notUpdated[id];
  }

  async get(id: string, properties?: readonly string[]): Promise<Answer> {
    return (await this.call('get', { ids: [id], properties: properties ?? null })).list[0];
  }

  async query(filter: object, sort?: readonly object[]): Promise<Answer> {
    const answer = await this.call('query', { filter, sort: sort ?? null });
    return answer.ids ?? answer;
  }
}
