import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compile, createProject, REPOSITORY } from '../project.js';

// Each complaint that the compiler must have: one that it has not is an error of its own.
const WRONG = `
import { bookType } from './generated/ledger/Book.definition.js';
import type { BookHooks, Hooks } from './generated/ledger/hooks.js';

export const check: BookHooks['check'] = ([wanted]) => {
  // @ts-expect-error no such property
  if (wanted?.after?.tittle === '') return;
  // @ts-expect-error what hooks get is for reading
  if (wanted?.after !== null && wanted !== undefined) wanted.after = null;
  // The errors of the type, with their members, and those of RFC 8620.
  wanted?.refuse({ type: 'bookIsLent', description: '', copies: 2 });
  wanted?.refuse({ type: 'invalidProperties', description: '', properties: ['title'] });
  // @ts-expect-error the type declares no such error
  wanted?.refuse({ type: 'bookIsLost', description: '' });
  // @ts-expect-error the member is missing
  wanted?.refuse({ type: 'bookIsLent', description: '' });
  // @ts-expect-error no such member
  wanted?.refuse({ type: 'forbidden', description: '', copies: 2 });
  // @ts-expect-error the type of an error is a text
  wanted?.refuse({ type: 7, description: '' });
  // Internal and secret properties are there for hooks.
  const markup: number = wanted?.after?.markup ?? 0;
  const pin: string | null = wanted?.after?.pin ?? null;
  void [markup, pin];
};

export const compute: BookHooks['compute'] = {
  slug: ({ title }) => title,
  vault: ({ title }) => title,
  // @ts-expect-error a heading is a text
  heading: ({ lines }) => lines,
};

export const computeOn: BookHooks['computeOn'] = {
  // @ts-expect-error a total is a number
  total: async ({ Line }) => new Map((Line?.created ?? []).map(({ bookId }) => [bookId, 'x'])),
};

export const other: BookHooks['computeOn'] = {
  total: async (changes) => {
    // @ts-expect-error it follows lines alone
    void changes.Post;
    return new Map();
  },
};

export const inTransaction: BookHooks['inTransaction'] = async (_changes, call) => {
  const greet: string | undefined = call.arguments.greet;
  // @ts-expect-error no such argument
  void [greet, call.arguments.shout];
};

export const writing: BookHooks['inTransaction'] = async (_changes, _call, tx) => {
  const { notCreated } = await tx.set(bookType, { destroy: [] }, { partial: true });
  const refusal = notCreated?.['k'];
  const copies: number = refusal?.type === 'bookIsLent' ? refusal.copies : 0;
  // @ts-expect-error the type declares no such error
  void [copies, refusal?.type === 'bookIsLost'];
  await tx.set(bookType, { update: { k: { title: 'Tea', 'heading/first': 7 } } });
  // @ts-expect-error no such property
  await tx.set(bookType, { update: { k: { 'haeding/first': 7 } } });
  // @ts-expect-error no such option
  await tx.set(bookType, { destroy: [] }, { partly: true });
};

// @ts-expect-error a greeting is a text
export const set: NonNullable<BookHooks['methods']>['set'] = { after: () => ({ greeting: 7 }) };

export const methods: Hooks['methods'] = {
  // @ts-expect-error the response lacks "seen"
  'Ledger/run': async ({ accountId }) => ({ accountId }),
  'Ledger/look': async ({ accountId }, _call, tx) => {
    // @ts-expect-error a read-only method has no such argument
    void [tx, wait];
    return { accountId, books: 1 };
  },
};

// @ts-expect-error Book needs what computes its properties
export const bare: Hooks['types'] = { Book: {} };
// @ts-expect-error no such method
export const strange: Hooks['methods'] = { ...methods, 'Ledger/walk': async () => ({}) };
`;

const CONFIG = {
  extends: join(REPOSITORY, 'tsconfig.json'),
  compilerOptions: { rootDir: '/', typeRoots: [join(REPOSITORY, 'node_modules/@types')] },
  include: ['generated/ledger', 'capabilities/ledger.hooks.ts', 'wrong.ts'],
};

test('a hook file must fit its descriptor: wrong names and values don’t compile', async () => {
  const fixture = (name: string): Promise<string> =>
    readFile(join(REPOSITORY, 'test/hooks', name), 'utf8');
  const project = await createProject({ 'ledger.yaml': await fixture('ledger.yaml') });
  await project.write('capabilities/ledger.hooks.ts', await fixture('ledger.hooks.ts'));
  expect((await project.generate()).stderr).not.toContain('error');
  await project.write('wrong.ts', WRONG);
  await project.write('tsconfig.json', JSON.stringify(CONFIG));
  expect(await compile(project.root)).toBe('');
});
