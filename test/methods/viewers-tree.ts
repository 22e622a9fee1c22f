import { expect } from 'vitest';
import * as standard from '../../generated/standard/validators.js';
import type { Principal } from '../../src/accounts/principal.js';
import type { AccessRule, AccessSubject } from '../../src/capability/access-rules.js';
import type { MethodDefinition } from '../../src/capability/capability-definition.js';
import type { DataTypeDefinition } from '../../src/capability/definition.js';
import type { Random } from '../support/random.js';
import { described } from './described-type.js';
import { methodsOf } from './gadget.js';
import { CORE, type Json, type Logic, Rig } from './rig.js';
import { followWorld, Shares, viewer, type World } from './viewers.js';
import { method } from './widget.js';

const LINK = { type: ['string', 'null'], format: 'id', default: null, onDestroy: 'cascade' };
const FOLDERS = described({
  Folder: {
    properties: {
      name: { type: 'string', default: '' },
      parentId: { ...LINK, references: 'Folder', acyclic: true },
    },
  },
  Paper: {
    properties: {
      name: { type: 'string', default: '' },
      folderId: { ...LINK, references: 'Folder' },
      reader: { type: ['string', 'null'], default: null },
      isPublic: { type: 'boolean', default: false },
    },
  },
  Remark: {
    properties: {
      name: { type: 'string', default: '' },
      paperId: { ...LINK, references: 'Paper' },
    },
  },
});

function share(right: string): AccessSubject {
  return { kind: 'share', right };
}

function parent(reference: string, type: string, right?: string): AccessSubject {
  return { kind: 'parent', reference, type, ...(right !== undefined && { right }) };
}

type Rules = Readonly<Record<string, readonly AccessRule[]>>;

const WRITE = { update: true, create: true, destroy: true } as const;

/** A folder shares what is in it, at any depth. A remark is seen by those who see its paper. */
const RULES: Rules = {
  Folder: [
    { who: share('mayRead'), read: true },
    { who: parent('parentId', 'Folder', 'mayRead'), read: true },
    { who: share('mayWrite'), ...WRITE },
    { who: parent('parentId', 'Folder', 'mayWrite'), ...WRITE },
  ],
  Paper: [
    { who: parent('folderId', 'Folder', 'mayRead'), read: true },
    { who: parent('folderId', 'Folder', 'mayWrite'), ...WRITE },
    { who: { kind: 'property', property: 'reader' }, read: true, update: ['name'] },
    {
      who: { kind: 'everyone' },
      where: [{ property: 'isPublic', values: [true] }],
      read: true,
    },
  ],
  Remark: [
    { who: parent('paperId', 'Paper'), read: true },
    { who: parent('paperId', 'Paper', 'mayWrite'), ...WRITE },
  ],
};

/** Types that follow one another. `others`: rules in the place of theirs, by type. */
export function folders(others: Rules = {}): Required<Logic>['more'] {
  const { capability, tables } = FOLDERS;
  const dataTypes = capability.dataTypes.map((type) => ({
    ...type,
    access: others[type.name] ?? RULES[type.name] ?? [],
  }));
  const methods = dataTypes.flatMap((type) => [...methodsOf(type), ...queriesOf(type)]);
  return { capability: { ...capability, dataTypes, methods }, tables };
}

export function queriesOf(type: DataTypeDefinition): readonly MethodDefinition[] {
  return [
    method(type, 'query', 'read', standard.queryArguments),
    method(type, 'queryChanges', 'read', standard.queryChangesArguments),
  ];
}

export const USING = [CORE, FOLDERS.capability.urn];

const NAMES = ['a', 'b', 'c', 'd'];
const TYPES = ['Folder', 'Paper', 'Remark'];

/** The way in which folders are shared. */
export interface Sharing {
  /** Shares some folders with one of the users, or takes shares back. */
  change(user: Principal, folders: readonly Json[]): Promise<void>;
  /** Returns whether a user has a right at a folder by a share of its own. */
  has(userId: string, folder: Json, right: string): boolean;
}

/** Writes shares by hand. */
function sharingByHand(rig: Rig): Sharing {
  const shares = new Shares(rig, TYPES);
  return {
    change: ({ userId }, folders) =>
      shares.toggle(
        userId,
        folders.map(({ id }) => shareOf(id)),
      ),
    has: (userId, { id }, right) => shares.has(userId, shareOf(id, right)),
  };
}

/** Folders in folders, papers in them, and remarks on papers. All move, and folders are shared. */
export class Folders implements World {
  readonly rig: Rig;
  readonly random: Random;
  readonly viewers = [viewer('u2'), viewer('u3'), viewer('u4')];
  readonly queries = { Folder: [{}], Paper: [{}], Remark: [{}] };
  readonly using = USING;
  /** How many of the changes are about shares. */
  readonly shareChance: number = 0.3;
  readonly #sharing: Sharing;

  constructor(rig: Rig, random: Random, sharing: Sharing = sharingByHand(rig)) {
    this.rig = rig;
    this.random = random;
    this.#sharing = sharing;
  }

  async change(): Promise<void> {
    for (let count = this.random.integer(1, 4); count > 0; count -= 1) {
      if (this.random.chance(this.shareChance)) await this.#share();
      else await this.#write(this.random.pick(TYPES));
    }
  }

  async #share(): Promise<void> {
    const { random } = this;
    const folders = (await this.list('Folder')).filter(() => random.chance(0.3));
    await this.#sharing.change(random.pick(this.viewers), folders);
  }

  async #write(type: string): Promise<void> {
    const { random } = this;
    const live = await this.list(type);
    const parents = type === 'Remark' ? await this.list('Paper') : await this.list('Folder');
    const ids = [null, ...parents.map(({ id }) => id)];
    const create = Object.fromEntries(
      Array.from({ length: random.integer(0, 2) }, (_, n) => [`k${n}`, this.#draw(type, ids)]),
    );
    const destroy = live.map(({ id }) => id).filter(() => random.chance(0.05));
    const update = Object.fromEntries(
      live
        .filter(({ id }) => !destroy.includes(id) && random.chance(0.3))
        .map(({ id }) => [id, random.chance(0.7) ? this.#draw(type, ids) : { name: 'e' }]),
    );
    const response = await this.#call(`${type}/set`, { create, update, destroy });
    // A folder may not be moved into itself.
    const refused = Object.values<Json>({ ...response.notCreated, ...response.notUpdated });
    for (const error of refused) expect(error.type).toMatch(/invalidProperties|willDestroy/);
  }

  #draw(type: string, parents: readonly (string | null)[]): object {
    const { random } = this;
    const parentId = random.pick(parents);
    const name = random.pick(NAMES);
    if (type === 'Folder') return { name, parentId };
    if (type === 'Remark') return { name, paperId: parentId };
    const reader = random.chance(0.2) ? random.pick(this.viewers).userId : null;
    return { name, folderId: parentId, reader, isPublic: random.chance(0.1) };
  }

  /** Returns all objects of a type, as the owner reads them. */
  async list(type: string): Promise<readonly Json[]> {
    const { list } = await this.#call(`${type}/get`, {});
    return list;
  }

  #call(name: string, args: object): Promise<Json> {
    return this.rig.call(name, args, { using: this.using });
  }

  /** Returns whether a user has a right at a folder, or at one that it is in. */
  rights(
    { userId }: Principal,
    all: readonly Json[],
  ): (id: string | null, right: string) => boolean {
    const folders = new Map(all.map((one) => [one.id, one]));
    const has = (id: string | null, right: string): boolean => {
      const folder = folders.get(id);
      if (folder === undefined) return false;
      return this.#sharing.has(userId, folder, right) || has(folder.parentId, right);
    };
    return has;
  }

  async expected(user: Principal, type: string): Promise<readonly string[]> {
    const { userId } = user;
    const folders = await this.list('Folder');
    const has = this.rights(user, folders);
    const isShared = (id: string | null): boolean => has(id, 'mayRead');
    const papers = (await this.list('Paper')).filter(
      ({ folderId, reader, isPublic }) => isShared(folderId) || reader === userId || isPublic,
    );
    const seen = new Set(papers.map(({ id }) => id));
    if (type === 'Folder') return folders.map(({ id }) => id).filter(isShared);
    if (type === 'Paper') return [...seen];
    const remarks = await this.list('Remark');
    return remarks.filter(({ paperId }) => seen.has(paperId)).map(({ id }) => id);
  }
}

/** Returns the scope of those who have a right at a folder. */
export function shareOf(id: string, right = 'mayRead'): string {
  return `Folder:${id}/${right}`;
}

/** Follows folders that change at random. */
export async function runTree(random: Random, steps: number, logic: Logic = {}): Promise<void> {
  const rig = new Rig({}, { ...logic, more: folders() });
  try {
    await followWorld(new Folders(rig, random), steps);
  } finally {
    await rig.close();
  }
}
