import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compareModels } from '../../../scripts/generator/breaking/compare.js';
import { readModel } from '../../../scripts/generator/breaking/read-model.js';
import type { Model } from '../../../src/descriptor/model.js';

/** Changes of `share`, from one descriptor to another. */

const RIGHTS = 'rights: { mayRead: See it., mayWrite: Change it., mayAdmin: Share it. }';
const UPDATE = "update: { name: mayWrite, '*': mayAdmin }";
const WHOLE = `share: { ${RIGHTS}, read: mayRead, ${UPDATE}, destroy: mayAdmin }`;

/** Returns the model of a type with these further lines. */
async function modelOf(...lines: readonly string[]): Promise<Model> {
  const root = await mkdtemp(join(tmpdir(), 'jmapsmith-compare-share-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'capabilities'));
  const text = `capability: urn:example:lists
types:
  List:
    properties:
      name: { type: string, maxLength: 100, default: '' }
      color: { type: string, maxLength: 20, default: '' }
${lines.map((line) => `    ${line}\n`).join('')}`;
  await writeFile(join(root, 'capabilities/lists.yaml'), text);
  return readModel(root);
}

/** Returns the changes on the wire from one `share` to another, a line each. */
async function compare(before: string, after: string): Promise<readonly string[]> {
  const models = [await modelOf(before), await modelOf(after)] as const;
  return compareModels(...models).flatMap(({ breaking, layer, where, what }) =>
    layer === 'wire' ? [`${breaking ? 'breaking' : 'fine'} ${where}: ${what}`] : [],
  );
}

describe('breaking: share', () => {
  it('breaks clients that use a right which is gone, and no others', async () => {
    const share = (rights: string) => `share: { rights: { ${rights} }, read: mayRead }`;
    const [less, more] = [share('mayRead: See it.'), share('mayRead: See it., mayTick: Tick.')];
    expect(await compare(more, less)).toEqual([
      'breaking List.shareWith: takes less: it "additionalProperties/mayTick" is refused now',
    ]);
    expect((await compare(less, more)).filter((line) => line.startsWith('breaking'))).toEqual([]);
    expect(await compare(less, share('mayRead: "See it, and its todos."'))).toEqual([]);
  });

  it('breaks clients if a right lets users do less, share included', async () => {
    expect(await compare(WHOLE, `share: { ${RIGHTS}, read: mayRead }`)).toEqual([
      'breaking List: access: users with the right `mayWrite` may no longer update name',
      'breaking List: access: users with the right `mayAdmin` may no longer update color, ' +
        'destroy, share',
    ]);
    expect(await compare(WHOLE, WHOLE.replace('read: mayRead', 'read: mayAdmin'))).toEqual([
      'breaking List: access: users with the right `mayRead` may no longer read',
      'fine List: access: users with the right `mayAdmin` may read',
    ]);
    // To change everything doesn't cover with whom it is shared.
    expect(await compare(WHOLE, WHOLE.replace(UPDATE, 'update: mayAdmin'))).toEqual([
      'breaking List: access: users with the right `mayWrite` may no longer update name',
      'breaking List: access: users with the right `mayAdmin` may no longer share',
      'fine List: access: users with the right `mayAdmin` may update',
    ]);
  });

  it('breaks clients if it is gone, and if it comes', async () => {
    expect(await compare(WHOLE, 'description: A list.')).toContain(
      'breaking List.shareWith: property removed',
    );
    expect(await compare('description: A list.', WHOLE)).toContain(
      'breaking List: access: users may do what its rules give, and nothing else',
    );
  });
});
