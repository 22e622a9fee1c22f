import { Ajv } from 'ajv';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { readWorld } from '../../conform/src/subject/described.js';
import { checkDescriptors } from '../../src/descriptor/check/index.js';
import { OPERATOR_NAMES, OPERATORS } from '../../src/descriptor/operators.js';
import { parseDescriptor } from '../../src/descriptor/parse.js';
import { viewCapability } from '../../src/descriptor/view.js';
import { guideNames, guideSamples } from '../guide/blocks.js';
import { type Fixtures, makeFixtures } from '../support/fixtures.js';
import { useServer } from '../support/server.js';
import { commandsIn, complaintsOf, requestIn } from './commands.js';
import { around } from './fragments.js';
import { reasonOf, SAMPLES, type Sample, samplesOf, testedIn } from './samples.js';

// Everything that the pages show is tested: samples.long.test.ts compiles what is TypeScript.

/** test/guide follows the other samples of the guides. */
const GUIDES = guideNames().flatMap((name) => guideSamples(name));

const LANGUAGES = ['json', 'sh', 'text', 'ts', 'yaml'];
const named = (samples: readonly Sample[]) =>
  samples.map((sample) => [sample.place, sample] as const);

it('each sample is of a language that is tested; text is no sample', () => {
  const others = SAMPLES.filter(({ language }) => !LANGUAGES.includes(language));
  expect(others.map(({ place, language }) => [place, language])).toEqual([]);
  expect(SAMPLES.length).toBeGreaterThan(30);
});

it('each sample that nothing tests is listed with its reason', () => {
  const untested = [...SAMPLES, ...GUIDES].flatMap((sample) => {
    const reason = reasonOf(sample);
    return reason === null ? [] : [`${sample.page}: ${reason}`];
  });
  expect(untested).toEqual([
    'docs/reference/auth-file.md: test/server/auth-file.test.ts reads it',
    'docs/reference/development.md: test/dev runs a test like it',
    'docs/reference/development.md: test/dev runs a file like it',
    'docs/reference/development.md: test/dev runs a report like it',
    'docs/reference/evolution.md: the guide runs such a file',
    'docs/reference/identity.md: test/identity starts a server with such a file',
    'docs/reference/protocol.md: an answer, and no request',
    'docs/reference/protocol.md: a part of the session',
    'docs/reference/push.md: a push service has to answer between the calls',
    'docs/guide/browser.md: the test packs this checkout itself',
    'docs/guide/first-type.md: the test packs this checkout itself',
    'docs/guide/identity.md: a real provider makes the token',
    'docs/guide/production.md: the test makes its databases itself',
    'docs/guide/production.md: systemd belongs to the machine',
    'docs/guide/production.md: Caddy belongs to the machine',
    'docs/guide/production.md: there is one version here',
    'docs/guide/push.md: a page needs a browser',
    'docs/guide/push.md: a subscription needs a browser',
    'docs/guide/push.md: a subscription needs a browser',
  ]);
});

describe('yaml', () => {
  it.each(named(testedIn('yaml')))('%s is legal', (_, { words, text }) => {
    expect(problemsOf(words, text)).toEqual([]);
  });

  it('a wrong sample is reported', () => {
    expect(problemsOf('properties', 'a: { type: strin }\n')).not.toEqual([]);
    expect(problemsOf('types', 'A: { filter: { b: equals } }\n')).not.toEqual([]);
    expect(problemsOf('descriptor x.yaml', 'types: {}\n')).not.toEqual([]);
    expect(problemsOf('somewhere', 'a: 1\n')).toEqual(['it stands nowhere: "somewhere"']);
  });
});

function problemsOf(words: string, text: string): readonly string[] {
  const isWhole = words.startsWith('descriptor ') || /^capability:/m.test(text);
  const whole = isWhole ? text : around(words, text);
  if (whole === undefined) return [`it stands nowhere: "${words}"`];
  const { root, problems } = parseDescriptor('capabilities/sample.yaml', whole);
  const read = problems.map(({ message }) => message);
  if (root === undefined) return read;
  const file = 'capabilities/sample.yaml';
  const view = viewCapability({ file, base: 'sample', start: { file, line: 1, column: 1 }, root });
  const found = checkDescriptors([view]).filter(({ severity }) => severity !== 'warning');
  return [...read, ...found.map(({ message }) => message)];
}

const COMPARED = `
properties:
  title: { type: string, maxLength: 50, default: '' }
  state: { type: string, enum: [open, won], default: open }
  size: { type: integer, default: 0 }
  due: { type: [string, 'null'], format: utc-date }
  tags: { setOf: string, maxLength: 20, default: {} }
  labels: { type: array, items: { type: string, maxLength: 20 }, default: [] }
  headers: { type: object, additionalProperties: { type: string, maxLength: 50 }, default: {} }
`;

it('the example of each operator is legal in a descriptor and for a client', () => {
  const conditions = OPERATOR_NAMES.map((name) => {
    const [property] = Object.keys(OPERATORS[name].example);
    return `  ${name}: { property: ${property}, is: ${name} }\n`;
  });
  const text = `${COMPARED}filter:\n${conditions.join('')}`;
  expect(problemsOf('type', text)).toEqual([]);
  const source = { file: 'capabilities/sample.yaml', text: around('type', text) ?? '' };
  const filters = readWorld([source]).get('Sample')?.type.filters ?? [];
  expect(filters.map(({ operator }) => operator)).toEqual(OPERATOR_NAMES);
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const isLegal = filters.map(({ operator, schema }) => {
    const validate = ajv.compile<unknown>(schema as object);
    return [operator, validate(Object.values(OPERATORS[operator].example)[0]), validate({ no: 1 })];
  });
  expect(isLegal).toEqual(OPERATOR_NAMES.map((name) => [name, true, false]));
});

describe('ts', () => {
  it.each(named(testedIn('ts')))(
    '%s says which file it is, and has no mistake',
    (_, { words, text }) => {
      expect(words).toMatch(/^capabilities\/[\w./-]+\.ts$/);
      expect(slipsOf(text)).toEqual([]);
    },
  );

  it('a mistake is reported', () => expect(slipsOf('const a = {')).not.toEqual([]));
});

function slipsOf(text: string): readonly unknown[] {
  const { diagnostics = [] } = ts.transpileModule(text, { reportDiagnostics: true });
  return diagnostics.map(({ messageText }) => messageText);
}

describe('sh', () => {
  it.each(named(testedIn('sh')))(
    '%s has commands that exist, with these options',
    (_, { text }) => {
      expect(commandsIn(text).length).toBeGreaterThan(0);
      expect(complaintsOf(text)).toEqual([]);
    },
  );

  it.each([
    ['npm run nothing', 'no script nothing'],
    ['npx jmapsmith dance', 'no tool: dance'],
    ['npm run -s token -- create --user ann --for ever', "doesn't have --for"],
    ['npm run -s token -- paint --user ann', "doesn't have paint"],
    ['npm run backup -- FILE --forced', "doesn't have --forced"],
    ['npx jmapsmith generate --chec # a word', "doesn't have --chec"],
    ['curl http://127.0.0.1:8080/jmapp', '/jmapp is not served'],
    ['ID=$(npm run -s account -- lost | cut -d : -f 1)', "doesn't have lost"],
    ['cp examples/none.* capabilities/', 'there is no examples/none.*'],
    ['npm ci && rm -rf /', 'nothing tests such a command'],
  ])('%s is reported', (text, why) => {
    expect(complaintsOf(`${text}\n`)).toEqual([expect.stringContaining(why)]);
  });
});

describe('json', () => {
  const server = useServer({ env: { ADMIN: 'on' } });
  let fixtures: Fixtures;
  beforeAll(async () => {
    fixtures = await makeFixtures(server());
    await server().tool('scripts/user', ['roles', 'u1', 'admin']);
  });

  const requests = [
    ...testedIn('json').map(({ place, text }) => [place, text] as const),
    ...testedIn('sh').flatMap(({ place, text }) => {
      const body = requestIn(text);
      return body === null ? [] : [[place, body] as const];
    }),
  ];

  it.each(requests)('%s is a request that the server answers', async (_, text) => {
    const body = JSON.parse(text.replaceAll(/'\$ACCOUNT'|ACCOUNT/g, fixtures.A1));
    const { using, methodCalls, ...more } = body;
    const answer = await fixtures.u1.with(using).api(methodCalls, more);
    expect(answer.methodResponses.map(([name]) => name)).not.toContain('error');
    expect(JSON.stringify(answer)).not.toContain('"notCreated":{');
    expect(Object.hasOwn(answer, 'explain')).toBe(more.explain === true);
  });
});

it('a block without an end is reported; a comment belongs to the next line alone', () => {
  expect(() => samplesOf('x.md', '```ts\n')).toThrow('x.md:1: the block has no end.');
  const page = '<!-- sample: a.ts -->\n```ts\nx;\n```\n\n```ts\ny;\n```\n';
  expect(samplesOf('x.md', page).map(({ place, words, text }) => [place, words, text])).toEqual([
    ['x.md:3', 'a.ts', 'x;\n'],
    ['x.md:7', '', 'y;\n'],
  ]);
});
