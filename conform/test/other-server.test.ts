import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { expect, it } from 'vitest';
import { typeChecks } from '../src/check.js';
import { CHECKS } from '../src/checks/index.js';
import type { Json, JsonMap } from '../src/client/json.js';
import { conform } from '../src/command.js';
import type { Options } from '../src/options.js';
import { SETTLED } from '../src/settled.js';
import { CERTIFICATE } from './certificate.js';
import { OWN, type Ran, ran, statuses } from './other-runs.js';
import { OtherServer, THINGS, URN } from './other-server.js';

// Servers that others could have written: what RFC 8620 allows them is no failure, and what goes
// wrong is told as what it is.

const reasonOf = ({ outcomes }: Ran, id: string): string => {
  const found = outcomes.find(({ check }) => check.id === id);
  return found?.reason ?? found?.failure?.message ?? '';
};

const SOME = [
  'get-all',
  'get-not-found',
  'set-update-nothing',
  'set-continues',
  'set-destroy-many',
];
const PASSED = Object.fromEntries(SOME.slice(1).map((id) => [id, 'passed']));

it.each([
  ['refuses ids: null always, with /query', { refusesAll: 'requestTooLarge', there: 3 }, {}],
  ['refuses ids: null as an argument', { refusesAll: 'invalidArguments' }, {}],
  [
    'refuses ids: null, without /query',
    { refusesAll: 'requestTooLarge', hasQuery: false },
    // It destroys what may be somebody's.
    { 'set-continues': 'notApplicable' },
  ],
  ['has more objects than maxObjectsInGet', { there: 30, maxObjectsInGet: 10 }, {}],
])('RFC 8620 5.1: a type is run whose server %s', async (_, habits, others) => {
  const other = await OtherServer.start(habits);
  const before = other.ids;
  const result = await ran(other, SOME);
  expect(statuses(result)).toEqual({ 'get-all': 'notApplicable', ...PASSED, ...others });
  expect(reasonOf(result, 'get-all')).toContain('refuses ids: null');
  expect([other.ids, result.warnings]).toEqual([before, []]);
});

it('a type with more objects than a run works beside is run on what it makes', async () => {
  const other = await OtherServer.start({ there: 600 });
  const result = await ran(other, SOME);
  expect(statuses(result)).toMatchObject({ 'set-destroy-many': 'passed' });
  expect(Object.values(statuses(result))).not.toContain('failed');
  expect(other.ids).toHaveLength(600);
});

it('an object that is refused by a rule outside the descriptor fails no check', async () => {
  const other = await OtherServer.start({
    rule: ({ name }) =>
      /^T-\d+$/.test(String(name)) ? undefined : { type: 'badName', properties: ['name'] },
  });
  const result = await ran(other, SOME);
  expect(Object.values(statuses(result))).not.toContain('failed');
  expect(reasonOf(result, 'set-destroy-many')).toMatch(
    /^The server refuses this sample: Thing .*badName.*--samples FILE/,
  );
  expect(other.ids).toEqual([]);
});

it('checks make the objects of --samples', async () => {
  const other = await OtherServer.start({
    rule: ({ size }) => (size === 7 ? undefined : { type: 'badSize' }),
  });
  const without = await ran(other, SOME);
  expect(statuses(without)).toMatchObject({ 'set-destroy-many': 'notApplicable' });
  const samples = new Map([['Thing', [{ size: 7 }]]]);
  const result = await ran(other, SOME, { samples });
  expect(statuses(result)).toMatchObject({ 'get-all': 'passed', ...PASSED });
});

it('objects get no other values than those of --samples later, but the default', async () => {
  const sizes = new Set<Json>();
  const other = await OtherServer.start({
    rule: ({ size = null }) => {
      sizes.add(size);
      return size === 0 || size === 7 ? undefined : { type: 'badSize' };
    },
  });
  const samples = new Map([['Thing', [{ size: 7 }]]]);
  const result = await ran(other, ['set-update-null-default'], { samples });
  expect(statuses(result)).toEqual({ 'set-update-null-default': 'passed' });
  expect([...sizes]).toEqual([7, 0]);
});

it.each([
  ['one sample', [{ size: 7 }]],
  ['two', [{ size: 3 }, {}]],
])('defaults are looked for in objects without the values of --samples: %s', async (_, list) => {
  const ids = ['set-create-defaults', 'set-create-default-given', 'described-values-defaults'];
  const passed = Object.fromEntries(ids.map((id) => [id, 'passed']));
  for (const checks of [ids, ids.slice(0, 1), ids.slice(2)]) {
    const result = await ran(await OtherServer.start(), checks, {
      samples: new Map([['Thing', list]]),
    });
    expect(passed).toMatchObject(statuses(result));
  }
});

/** The options of a run that has Thing's descriptor from a file. */
async function optionsOf(other: OtherServer, check: readonly string[]): Promise<Options> {
  const file = join(tmpdir(), `things-${process.pid}.yaml`);
  await writeFile(file, THINGS.text);
  return { url: other.url, token: 't', ...IN_TEXT, descriptor: [file], check };
}

const IN_TEXT = { transport: 'http', report: 'text' };

it('a type all of whose objects are refused is no whole run', async () => {
  const other = await OtherServer.start({
    rule: () => ({ type: 'invalidProperties', properties: ['name'], description: 'no' }),
  });
  const told: string[] = [];
  const options = await optionsOf(other, ['get-not-found', 'get-all', 'set-destroy-many']);
  const { failed, report, summary } = await conform(options, {}, (line) => told.push(line));
  expect(failed).toBe(true);
  const words =
    /Thing can't be used: the server refuses all objects .* in [\w-]+\. .*--samples FILE gives/;
  expect(summary).toMatch(words);
  expect(told.join('\n')).toMatch(words);
  for (const text of [report, summary])
    expect(text.split('\n')[1]).toMatch(/^NOT SHOWN: \d+ checks were not run, because/);
});

it('a server that refuses the longest text alone is told in the head of the report', async () => {
  const other = await OtherServer.start({
    rule: ({ name }) =>
      [...String(name)].length < 100
        ? undefined
        : { type: 'invalidProperties', properties: ['name'] },
  });
  const options = await optionsOf(other, ['get-not-found', 'set-destroy-many', 'set-text-length']);
  const { failed, report, summary } = await conform(options, {}, () => undefined);
  expect(failed).toBe(false);
  const head = 'NOT SHOWN: 1 check was not run, because the server refuses objects that are legal.';
  for (const text of [report, summary]) expect(text.split('\n')[1]).toBe(head);
  expect(report).toMatch(/^NOT ALL RFC 8620 5\.3: 1 passed, 0 failed, 1 not applicable \(1 by/m);
  expect(report).toMatch(
    /x{40}\.\.\. \(100 characters\).*It took other values of name in this run: /,
  );
});

it('an account that --account names twice is refused', async () => {
  const other = await OtherServer.start({ accounts: { a: OWN, b: OWN } });
  const options = await optionsOf(other, ['get-all']);
  const twice = conform({ ...options, account: ['a', 'b', 'a'] }, {}, () => undefined);
  await expect(twice).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining('--account "a" is given twice'),
  });
});

it('a server that lists members in another order each time changed nothing', async () => {
  let turn = 0;
  const other = await OtherServer.start({
    there: 3,
    changeArgs: (name, args) => {
      if (name !== 'Thing/get') return args;
      turn += 1;
      const turned = (one: Json): Json =>
        Object.fromEntries(
          Object.entries(one as JsonMap).toSorted(() => (turn % 2 === 0 ? 1 : -1)),
        );
      return { ...args, list: (args['list'] as Json[]).map(turned) };
    },
  });
  const result = await ran(other, SOME);
  expect([statuses(result), result.warnings]).toEqual([{ 'get-all': 'passed', ...PASSED }, []]);
});

it('a server that is lost at the first look at a type is reported', async () => {
  const other = await OtherServer.start({
    before: (calls) => (calls.some(([name]) => name === 'Thing/get') ? 'hang' : 'answer'),
  });
  const options = await optionsOf(other, ['echo', 'get-all']);
  const { failed, report } = await conform({ ...options, timeout: '1' }, {}, () => undefined);
  expect(failed).toBe(true);
  expect(report).toMatch(/^ok {6}RFC 8620 4: 1 passed/m);
  expect(report).toMatch(/not whole: .*hangs.* 1 s\. Of 2 checks 1 were left\.$/m);
  const alone = await conform(
    { ...options, check: ['get-all'], timeout: '1' },
    {},
    () => undefined,
  );
  expect([alone.failed, alone.report]).toEqual([
    true,
    expect.stringMatching(/not whole: .*hangs.* 1 s\. Of 1 checks 1 were left\.$/m),
  ]);
});

it('an object that is refused in one call alone is still a failure', async () => {
  let isBroken = false;
  const other = await OtherServer.start({
    rule: () => (isBroken ? { type: 'invalidProperties' } : undefined),
    before: (calls) => {
      isBroken = calls.some(([, args]) => 'c' in ((args as { create?: object }).create ?? {}));
      return 'answer';
    },
  });
  const checks = typeChecks('5.3', { methods: ['get', 'set'] }, [
    {
      id: 'refused-once',
      level: 'must',
      rule: 'What is legal is made.',
      run: async (subject) => {
        await subject.set({ create: { c: subject.create('c') } });
        await subject.make(subject.A1, 'one');
        throw Object.assign(new Error('expect(it)'), {});
      },
    },
  ]);
  expect(statuses(await ran(other, checks))).toEqual({ 'refused-once': 'failed' });
});

it('RFC 8620 2: the user’s own account comes first, and --account names another', async () => {
  const accounts = {
    group: { isPersonal: false, isReadOnly: false },
    read: { isPersonal: true, isReadOnly: true },
    own: { isPersonal: true, isReadOnly: false },
  };
  const made: string[] = [];
  const other = await OtherServer.start({
    accounts,
    before: (calls) => {
      for (const [name, args] of calls)
        if (name === 'Thing/set') made.push(String((args as { accountId?: string }).accountId));
      return 'answer';
    },
  });
  await ran(other, ['set-update-nothing']);
  expect(new Set(made)).toEqual(new Set(['own']));
  made.length = 0;
  await ran(other, ['set-update-nothing'], { accounts: ['group'] });
  expect(new Set(made)).toEqual(new Set(['group']));
  const options = { url: other.url, token: 't', transport: 'http', report: 'text' };
  await expect(
    conform({ ...options, account: ['read'] }, {}, () => undefined),
  ).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(/--account "read" is none of these: group, own/),
  });
});

it('an exception that is no expectation is a defect of the runner, told apart', async () => {
  const other = await OtherServer.start();
  const checks = typeChecks('5.3', { methods: ['get', 'set'] }, [
    {
      id: 'broken',
      level: 'must',
      rule: 'A rule.',
      run: async () => {
        throw new TypeError('x is not a function');
      },
    },
  ]);
  const { outcomes } = await ran(other, checks);
  expect(outcomes).toMatchObject([{ status: 'defect' }]);
  expect(outcomes[0]?.failure?.message).toContain('other-server.test.ts');
});

it.each([
  ['get', 'list', { list: undefined }, '`list` (5.1): it is missing'],
  ['get', 'list', { list: [{}] }, '`list` (5.1): it is [{}]'],
  ['set', 'created', { created: [] }, '`created` (5.3): it is []'],
])('an answer of an unexpected form names the member: /%s, %s', async (verb, _, wrong, words) => {
  let isWrong = false;
  const other = await OtherServer.start({
    changeArgs: (name, args) =>
      isWrong && name.endsWith(verb) ? ({ ...args, ...wrong } as never) : args,
  });
  const checks = typeChecks('5.3', { methods: ['get', 'set'] }, [
    {
      id: 'form',
      level: 'must',
      rule: 'A rule.',
      run: async ({ client, type, A1: accountId }) => {
        isWrong = true;
        await client[verb as 'get'](type, { accountId, ids: [] }).finally(() => {
          isWrong = false;
        });
      },
    },
  ]);
  const result = await ran(other, checks);
  expect(statuses(result)).toEqual({ form: 'failed' });
  expect(reasonOf(result, 'form')).toContain(words);
});

it('a failed check makes those that depend on it not applicable', async () => {
  const other = await OtherServer.start({
    changeArgs: (name, args) => (name === 'Core/echo' ? { ...args, more: 1 } : args),
  });
  const result = await ran(other, ['echo', 'echo-any-json', 'references-resolve']);
  expect(statuses(result)).toEqual({
    echo: 'failed',
    'echo-any-json': 'notApplicable',
    'references-resolve': 'notApplicable',
  });
  expect(reasonOf(result, 'echo-any-json')).toBe('Not run because echo failed.');
});

it('a check runs after those that it depends on', () => {
  const ids = CHECKS.map(({ id }) => id);
  for (const [check, behind] of SETTLED) {
    expect(ids).toContain(check);
    for (const one of behind.filter((pattern) => !pattern.endsWith('*')))
      expect([check, one, ids.indexOf(one) > ids.indexOf(check)]).toEqual([check, one, true]);
  }
});

it('the run’s own objects are recognised after a lost answer, and removed', async () => {
  let lost = 0;
  const other = await OtherServer.start({
    before: (calls) => {
      const isCreate = calls.some(([, args]) => 'create' in args);
      if (!isCreate || lost > 0) return 'answer';
      lost += 1;
      return 'lose';
    },
  });
  const result = await ran(other, SOME);
  expect(Object.values(statuses(result)).filter((one) => one === 'failed')).toHaveLength(1);
  expect([lost, other.ids, result.warnings]).toEqual([1, [], []]);
});

it('a server that dies is told as that, at once', async () => {
  let count = 0;
  const other = await OtherServer.start({
    before: () => {
      count += 1;
      return count > 3 ? 'die' : 'answer';
    },
  });
  const check = ['echo', 'echo-any-json', 'echo-account', 'echo-call-ids', 'references-resolve'];
  const options = { url: other.url, token: 't', transport: 'http', report: 'text', check };
  const { failed, summary } = await conform(options, {}, () => undefined);
  expect(failed).toBe(true);
  expect(summary).toMatch(
    /not whole: The server is lost since [\w-]+: GET .*the server takes no connections/,
  );
});

it('a server that hangs over one request is told as that', async () => {
  const other = await OtherServer.start({ before: () => 'hang' });
  const check = ['echo'];
  const options = { url: other.url, token: 't', transport: 'http', report: 'text', check };
  const { report } = await conform({ ...options, timeout: '1' }, {}, () => undefined);
  expect(report).toContain('the server hangs: no whole answer within 1 s');
});

it.each([[{ looksAhead: true }], [{ looksAhead: false }]])(
  'RFC 8620 5.3: a server may know a creation id of a later call, or refuse it: %j',
  async (habits) => {
    const other = await OtherServer.start({ ...habits, accounts: { a: OWN, b: OWN } });
    const ids = ['creation-references-later-call', 'described-links-later-creation-id'];
    const result = await ran(other, ids);
    expect(statuses(result)).toEqual(Object.fromEntries(ids.map((id) => [id, 'passed'])));
  },
);

it('an object that can’t be removed is named by its id and its check', async () => {
  const other = await OtherServer.start({
    changeArgs: (name, args) => (name === 'Thing/set' ? { ...args, destroyed: [] } : args),
  });
  const { warnings } = await ran(other, ['set-update-nothing']);
  expect(warnings.join('\n')).toMatch(/^Left behind: .* made1 \(made by set-update-nothing\)/m);
});

it('--samples is refused where it names what is not there', async () => {
  const other = await OtherServer.start();
  const descriptor = join(tmpdir(), `things-${process.pid}.yaml`);
  const samples = join(tmpdir(), `samples-${process.pid}.json`);
  await writeFile(descriptor, THINGS.text);
  const options = { url: other.url, token: 't', transport: 'http', report: 'text' };
  const given = { ...options, descriptor: [descriptor], samples };
  for (const [text, words] of [
    ['{"Other": [{}]}', 'Other is none of the types: Thing'],
    ['{"Thing": [{"nome": 1}]}', 'Thing has no nome that a client sets'],
    ['{"Thing": {}}', 'a list of at least one object'],
    ['{', 'neither JSON nor YAML'],
  ] as const) {
    await writeFile(samples, text);
    await expect(conform(given, {}, () => undefined)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(words),
    });
  }
  expect(URN).toBe('urn:example:things');
});

it('--ca trusts the authority of a file, over https', async () => {
  const other = await OtherServer.start({}, CERTIFICATE);
  const options = { url: other.url, token: 't', transport: 'http', report: 'text' };
  const check = ['echo'];
  await expect(conform({ ...options, check }, {}, () => undefined)).rejects.toThrow(/self.signed/);
  const ca = join(tmpdir(), `authority-${process.pid}.pem`);
  await writeFile(ca, CERTIFICATE.cert);
  const { summary } = await conform({ ...options, check, ca }, {}, () => undefined);
  expect(summary).toContain('1 passed, 0 failed');
  const [another = ''] = rootCertificates;
  const nonsense = another.replace(/(?<=BEGIN CERTIFICATE-----\n).{20}/, 'no certificate at al');
  for (const [text, words] of [
    ['no certificate', 'has no certificate in PEM'],
    [another + nonsense, "certificate 2 can't be read"],
  ] as const) {
    await writeFile(ca, text);
    await expect(conform({ ...options, check, ca }, {}, () => undefined)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(words),
    });
  }
});

it('--ca leaves the authorities of NODE_EXTRA_CA_CERTS trusted', async () => {
  const other = await OtherServer.start({}, CERTIFICATE);
  const [ca, extra] = ['another', 'extra'].map((name) =>
    join(tmpdir(), `${name}-${process.pid}.pem`),
  );
  await writeFile(ca ?? '', rootCertificates[0] ?? '');
  await writeFile(extra ?? '', CERTIFICATE.cert);
  const options = { url: other.url, token: 't', ...IN_TEXT, check: ['echo'], ca };
  const ran = await conform(options, { NODE_EXTRA_CA_CERTS: extra }, () => undefined);
  expect(ran.summary).toContain('1 passed, 0 failed');
  await expect(conform(options, {}, () => undefined)).rejects.toThrow(/self.signed/);
});
