import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compile, createProject, REPOSITORY } from './project.js';

const DESCRIPTOR = `capability: urn:example:marks
types:
  Mark:
    properties:
      text: { type: string, default: '' }
      pin: { type: integer, access: internal, default: 0 }
      seen: { type: boolean, default: false, perUser: true }
  Line:
    properties:
      text: { type: string, default: '' }
      seen: { type: boolean, default: false, perUser: true }
`;

const USE = `
import type { HookTransaction } from 'jmapsmith/capability';
import { type Line, type LineStored, lineType } from './generated/marks/Line.definition.js';
import type { Mark, MarkCreate, MarkPatch, MarkStored } from './generated/marks/Mark.definition.js';

declare const mark: Mark;
declare const line: Line;
export const seen: boolean = mark.seen && line.seen;
export const create: MarkCreate = { seen: true };
export const patch: MarkPatch = { seen: null };
declare const stored: MarkStored;
declare const other: LineStored;
export const pin: number = stored.pin;
// @ts-expect-error hooks see no values of users
export const hidden = stored.seen;
// @ts-expect-error nor here
export const hiddenToo = other.seen;
declare const tx: HookTransaction;
export const written = tx.set(lineType, { update: { x: { text: 'a' } } });
`;

const CONFIG = {
  extends: join(REPOSITORY, 'tsconfig.json'),
  compilerOptions: { rootDir: '/', typeRoots: [join(REPOSITORY, 'node_modules/@types')] },
  include: ['generated', 'use.ts'],
};

it('types of clients have properties of each user, and types of hooks have none', async () => {
  const project = await createProject({ 'marks.yaml': DESCRIPTOR });
  expect(await project.generate()).toMatchObject({ code: 0 });
  await project.write('use.ts', USE);
  await project.write('tsconfig.json', JSON.stringify(CONFIG));
  expect(await compile(project.root)).toBe('');
}, 120_000);
