import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../../test/support/server.js';
import { conform } from '../src/command.js';
import { readSelfDescribed, readWorld } from '../src/subject/described.js';
import { readProfile } from '../src/subject/profile.js';
import { type Ended, runHere } from './program.js';

// `npm run conform -- --descriptor FILE`: what the language of descriptors doesn't have is refused
// with its place, what this project's own server alone can't have is not. No server is asked
// before.

/** The command with descriptors of these texts, against a port where nobody is. */
async function given(...texts: readonly string[]): Promise<Ended & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'descriptors-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = texts.map((_, index) => join(folder, `d${index + 1}.yaml`));
  for (const [index, file] of files.entries()) await writeFile(file, texts[index] ?? '');
  const args = ['--url', 'http://127.0.0.1:1', '--token', 't', '--section', '4'];
  const ended = await runHere(...args, ...files.flatMap((file) => ['--descriptor', file]));
  return { folder, ...ended };
}

const WRONG = `
capability: urn:example:mail
types:
  Mailbox:
    descripton: Misspelt.
    properties:
      name: { type: strnig, maxLength: 40 }
      size: { type: integer, maxLength: 5, default: 0 }
      role: { type: [string, 'null'], enum: [inbox, 5] }
      colour: { type: string, pattern: '[a-', default: '' }
      seen: { type: boolean }
      flags: { type: array, default: [] }
      parentId: { type: [string, 'null'], references: Folder }
      order: { type: integer, minimum: 9, maximum: 1, default: 0 }
      open: { type: boolean, default: 'yes' }
      kind: { default: small }
      kind: { type: string, default: small }
    required: [nmae]
    filter:
      size: contains
      subject: equals
    sort: [sise]
  Thread:
    description: It has no properties.
`;

const OTHER = `
capability: urn:example:other
types:
  Mailbox: { properties: { name: { type: string, default: '' } }, standardMethods: [get, qeury] }
`;

it('a wrong descriptor is told with place, line and legal values; exit code 2', async () => {
  const { code, stdout, stderr, folder } = await given(WRONG, OTHER);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  const told = stderr
    .split('\n')
    .filter((line) => line.startsWith(folder))
    .map((line) => line.slice(folder.length + 1));
  for (const words of [
    'd1.yaml:5:5: unknown key "descripton". Did you mean "description"?',
    'd1.yaml:7:21: "strnig" is not string, boolean, integer, number, array or object.',
    'd1.yaml:8:30: "maxLength" goes with the type string; "size" is of type integer.',
    'd1.yaml:9:53: 5 is no string',
    'd1.yaml:10:40: not a regular expression',
    'd1.yaml:11:7: "seen" is neither required, nullable nor optional',
    'd1.yaml:12:7: "flags" is a list and doesn\'t say of what',
    'd1.yaml:13:55: no descriptor has a type "Folder". Declared: Mailbox, Thread',
    'd1.yaml:14:40: no value of "order" can be right',
    'd1.yaml:15:39: the default of "open" must be boolean',
    'd1.yaml:17:7: this key stands twice in one object',
    'd1.yaml:18:16: "nmae" is no property of Mailbox. Did you mean "name"?',
    'd1.yaml:20:13: "contains" can\'t be used with "size", which is of kind integer: legal are',
    'd1.yaml:21:7: "subject" is no property of Mailbox.',
    'd1.yaml:22:12: "sise" is no property of Mailbox. Did you mean "size"?',
    'd1.yaml:23:3: "Thread" needs the key "properties".',
    'd2.yaml:4:3: the type Mailbox is declared twice',
    'd2.yaml:4:90: "qeury" is not get, changes, set, copy, query or queryChanges.',
  ])
    expect(told).toContainEqual(expect.stringContaining(words));
  expect(stderr).toContain(`conform: ${told.length} errors in descriptors.`);
  // The value, in its line.
  expect(stderr).toContain('name: { type: strnig, maxLength: 40 }');
  expect(stderr).toContain('[unknown-type]');
});

it('a descriptor leaves out the id, in this spelling, and may declare the times', async () => {
  const { code, stderr, folder } = await given(`
capability: urn:example:calendars
types:
  CalendarEvent:
    properties:
      id: { type: string, access: serverSet }
      ID: { type: string, default: '' }
      created: { type: string, format: utc-date, access: serverSet }
      title: { type: string, default: '' }
      Updated: { type: string, default: '' }
      updated: { type: string, format: utc-date, default: '2026-01-01T00:00:00Z' }
    sort: [created, updated]
`);
  expect(code).toBe(2);
  expect(stderr.split('\n').filter((line) => line.startsWith(folder))).toEqual([
    `${folder}/d1.yaml:6:7: every type has an id by itself, ` +
      'which the server gives: leave "id" out.',
  ]);
  expect(stderr).toContain('[standard-property]');
});

it('descriptors without types are exit code 2; beside others they are legal', async () => {
  const [bare = '', more = ''] = ['capability: urn:x:y\ntypes: {}\n', 'capability: urn:x:z\n'];
  const { code, stdout, stderr } = await given(bare, more);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('conform: 2 errors in descriptors.');
  expect(stderr).toContain('d1.yaml:2:1: the descriptor has no types, so there is nothing of it');
  expect(stderr).toContain('d2.yaml:1:1: the descriptor has no types, so there is nothing of it');
  const full = `${more}types: { A: { properties: { a: { type: boolean, default: false } } } }`;
  const sources = [bare, full].map((text, n) => ({ file: `d${n}.yaml`, text }));
  expect([...readWorld(sources).keys()]).toEqual(['A']);
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

/** Of a thousand lines as good as any, behind which one is wrong. */
const MANY: Readonly<Record<string, (n: number) => string>> = {
  'names in another style': (n) => `a_name_${n}: { type: boolean, default: false }`,
  'bounds beyond our storage': (n) => `a${n}: { type: string, maxLength: 20000000, default: '' }`,
  'what a server sets to what it likes': (n) => `a${n}: { type: boolean, access: serverSet }`,
};

it.each(Object.entries(MANY))('behind a thousand of %s a mistake is told', (_, line) => {
  const lines = Array.from({ length: 1100 }, (_one, n) => `      ${line(n)}\n`).join('');
  const text = `capability: urn:x:y\ntypes:\n  X:\n    properties:\n${lines}`;
  const wrong = '      open: { type: strnig }\n    sort: [sise]\n    shape: round\n';
  const told = messageOf(() => readWorld([{ file: 'x.yaml', text: `${text}${wrong}` }]));
  expect(told).toMatch(/^x\.yaml:1105:21: "strnig" is not string/m);
  expect(told).toMatch(/^x\.yaml:1106:12: "sise" is no property of X\./m);
  expect(told).toMatch(/^x\.yaml:1107:5: unknown key "shape"\./m);
  expect(readWorld([{ file: 'x.yaml', text }]).get('X')?.type.properties).toHaveLength(1103);
});

it.each([
  ['a text that is no YAML', 'types: [', 'd.yaml:1:9: not readable as YAML'],
  ['nothing', '', 'd.yaml:1:1: the descriptor must be an object'],
  ['a descriptor of nothing', 'types: {}', 'd.yaml:1:1: the descriptor needs the key "capability"'],
])('%s is refused', (_, text, words) => {
  expect(() => readWorld([{ file: 'd.yaml', text }])).toThrow(`\n${words}`);
});

it('a file that isn’t there, or that is no text, is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'descriptors-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const octets = join(folder, 'octets.yaml');
  await writeFile(octets, Buffer.from([0x63, 0xff, 0xfe]));
  for (const [file, words] of [
    [octets, 'is not UTF-8'],
    [join(folder, 'nowhere.yaml'), "can't be read (ENOENT)"],
  ] as const) {
    const options = { url: 'http://127.0.0.1:1', token: 't', transport: 'http', report: 'json' };
    await expect(
      conform({ ...options, descriptor: [file] }, {}, () => undefined),
    ).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(`${file} ${words}`),
    });
  }
});

/**
 * Descriptors that no server of this project could have: names, columns, indexes, bounds, values
 * that a create stores.
 */
const FOREIGN = `
capability: tag:example.com,2026:mail
session: { a: 1 }
bareSession: true
types:
  message_v2:
    renamedFrom: Message
    properties:
      ID_of_thread: { type: string, maxLength: 40 }
      constructor: { type: string, maxLength: 20000000, unique: true }
      Subject: { type: [string, 'null'], default: none }
      subject: { type: string, pattern: '(?:a|b)*a(?:a|b){40}c|', default: '' }
      myRights: { type: object, access: serverSet, properties: { mayRead: { type: boolean } } }
    required: [ID_of_thread, constructor]
    filter:
      hasSubject: { property: Subject, is: isNull }
      In-Mailbox: { property: ID_of_thread, is: equals, indexed: true }
    sort: [{ property: constructor, indexed: true }]
methods:
  message_v2/count: { arguments: { type: object }, response: { type: object } }
`;

it('a descriptor with features that our own server lacks is legal', () => {
  const world = readWorld([{ file: 'Mail (1).yaml', text: FOREIGN }]);
  const { type, capability } = world.get('message_v2') ?? {};
  expect(capability).toBe('tag:example.com,2026:mail');
  expect(type?.properties.map(({ name }) => name)).toContain('constructor');
});

it('a server-set property without a declared value may be anything but null', () => {
  const world = readWorld([{ file: 'mail.yaml', text: FOREIGN }]);
  const described = world.get('message_v2');
  if (described === undefined) throw new Error('The type is missing.');
  const { myRights } = readProfile(described).defaults;
  expect({ mayRead: true }).toEqual(myRights);
  expect([null, undefined]).not.toContainEqual(myRights);
});

it('the descriptors of this repository’s tests and pages are legal', async () => {
  const folder = join(ROOT, 'conform/test');
  const text = await readFile(join(folder, 'mailbox.yaml'), 'utf8');
  expect([...readWorld([{ file: 'mailbox.yaml', text }]).keys()]).toEqual(['Mailbox']);
});

it('a descriptor from a server may have keys of a later version', () => {
  const later = `
capability: urn:example:x
since: 2030
types:
  X:
    shape: round
    properties: { name: { type: string, default: '', colour: red } }
`;
  expect([...readSelfDescribed([{ file: 'x.json', text: later }]).keys()]).toEqual(['X']);
  expect(() => readWorld([{ file: 'x.yaml', text: later }])).toThrow(/^x\.yaml:3:1: unknown key/m);
});
