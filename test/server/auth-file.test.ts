import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf } from '../../src/accounts/oidc/claims.js';
import type { AuthSettings } from '../../src/accounts/oidc/settings.js';
import { parseSubnet } from '../../src/outbound/subnet.js';
import { readAuthFile } from '../../src/server/auth-file/auth-file.js';
import { AuthFileError } from '../../src/server/auth-file-error.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'auth-file-'));
  writeFileSync(join(folder, 'secret'), 's3cret\n');
  writeFileSync(join(folder, 'empty'), '\n');
});

afterAll(() => rmSync(folder, { recursive: true }));

function read(text: string | Uint8Array, allow: readonly string[] = []): AuthSettings {
  const path = join(folder, 'auth.yaml');
  writeFileSync(path, text);
  return readAuthFile(
    path,
    allow.map(parseSubnet).filter((subnet) => subnet !== null),
  );
}

/** Returns the problems of a file, each from its line on. */
function problemsOf(text: string | Uint8Array, allow: readonly string[] = []): readonly string[] {
  try {
    read(text, allow);
  } catch (error) {
    if (!(error instanceof AuthFileError)) throw error;
    expect(error.message).not.toMatch(/s3cret/);
    const [first, ...problems] = error.message.split('\n');
    expect(first).toBe('AUTH_FILE is not usable:');
    return problems.map((line) => line.replace(`${join(folder, 'auth.yaml')}:`, ''));
  }
  return [];
}

const ISSUER = `issuer: https://id.example.com
    audience: [https://jmap.example.com]`;

/** A file with one issuer and these lines of it. */
function issuerWith(...lines: readonly string[]): string {
  return `issuers:\n  - ${ISSUER}\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

const FULL = `
issuers:
  - issuer: https://id.example.com/realms/team
    audience: [https://jmap.example.com/api, jmap]
    algorithms: [ES256, Ed25519]
    clockTolerance: 5m
    user: { id: oid, name: [upn, email], create: true }
    account: { create: true, name: 'Files of {name}' }
    access:
      - { claim: groups, is: '^team-([a-z]+)$', account: '{1}', mode: write }
      - { claim: realm_access.roles, is: '^auditor$', account: Everything, mode: read }
    roles: { claim: realm_access.roles, allow: [agent, customer] }
    opaque: { introspect: true, clientId: jmap, secretFile: secret, cache: 10s }
    logout: { clients: [mail-app] }
  - issuer: https://other.example.com
    audience: jmap
    jwks: https://other.example.com/keys?app=1
    user: { create: false }
basic: tokens
`;

describe('A file', () => {
  it('may give all keys', () => {
    const { providers, basic } = read(FULL);
    const [first, second] = providers;
    expect(basic).toBe('tokens');
    expect(first).toEqual({
      rules: {
        issuer: 'https://id.example.com/realms/team',
        audience: ['https://jmap.example.com/api', 'jmap'],
        algorithms: ['ES256', 'Ed25519', 'EdDSA'],
        clockTolerance: 300,
      },
      jwks: null,
      user: { id: 'oid', names: ['upn', 'email'], create: true },
      account: { name: 'Files of {name}' },
      access: [
        expect.objectContaining({ claim: 'groups', account: '{1}', mode: 'write' }),
        expect.objectContaining({ account: 'Everything', mode: 'read' }),
      ],
      roles: { claim: 'realm_access.roles', allow: new Set(['agent', 'customer']) },
      opaque: { endpoint: null, clientId: 'jmap', secret: 's3cret', cache: 10_000 },
      logout: { clients: ['mail-app'] },
    });
    const claims = { groups: ['team-red', 'team-9'], realm_access: { roles: ['auditor'] } };
    expect([...accountsOf(claims, first?.access ?? [])]).toEqual([
      ['red', false],
      ['Everything', true],
    ]);
    expect(second?.jwks?.href).toBe('https://other.example.com/keys?app=1');
    expect(second).toMatchObject({ user: { create: false }, account: null, opaque: null });
  });

  it('has the defaults of docs/reference/auth-file.md', () => {
    expect(read(issuerWith())).toEqual({
      providers: [
        {
          rules: {
            issuer: 'https://id.example.com',
            audience: ['https://jmap.example.com'],
            algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
            clockTolerance: 30,
          },
          jwks: null,
          user: {
            id: 'sub',
            names: ['email', 'preferred_username', 'name', 'sub'],
            create: true,
          },
          account: { name: '{name}' },
          access: [],
          roles: null,
          opaque: null,
          logout: null,
        },
      ],
      basic: 'off',
    });
    const opaque = 'opaque: { clientId: jmap, secretFile: ./secret }';
    expect(read(issuerWith(opaque)).providers[0]?.opaque?.cache).toBe(30_000);
  });

  it('may be JSON', () => {
    const issuer = { issuer: 'https://id.example.com', audience: ['a'] };
    const { providers } = read(JSON.stringify({ issuers: [issuer] }));
    expect(providers[0]?.rules.audience).toEqual(['a']);
  });

  it('gives the place of introspection beside that of the keys', () => {
    const url = 'https://id.example.com/introspect';
    const { providers } = read(
      issuerWith(
        'jwks: https://id.example.com/keys',
        `opaque: { introspect: '${url}', clientId: jmap, secretFile: secret }`,
      ),
    );
    expect(providers[0]?.opaque?.endpoint?.href).toBe(url);
  });

  it('names issuers inside and over http only as far as OIDC_ALLOW does', () => {
    const at = (issuer: string) => `issuers: [{ issuer: '${issuer}', audience: [a] }]`;
    const inside = ['http://127.0.0.1:9000/a', 'https://10.1.2.3', 'http://keycloak:8080/a'];
    for (const issuer of inside) {
      expect(problemsOf(at(issuer)), issuer).toEqual([
        expect.stringContaining('1:21: "issuer" must be an https URL'),
      ]);
      expect(problemsOf(at(issuer), ['127.0.0.1', '10.0.0.0/8']), issuer).toEqual([]);
      expect(problemsOf(at(issuer), ['192.168.0.1']), issuer).toHaveLength(
        issuer.includes('keycloak') ? 0 : 1,
      );
    }
    expect(problemsOf(at('http://8.8.8.8'), ['10.0.0.0/8'])).toHaveLength(1);
  });
});

describe('A problem has its place', () => {
  it.each<[string, string, readonly (string | RegExp)[]]>([
    ['no YAML', 'issuers: [', [/^1:11: not readable as YAML/]],
    ['an empty file', '', ['1:1: the file must be an object.']],
    ['a list', '- a', ['1:1: the file must be an object.']],
    ['no issuers', 'basic: off', ['1:1: the file needs the key "issuers".']],
    ['an empty list', 'issuers: []', ['1:10: "issuers" must be a list with an issuer.']],
    [
      'a list of texts',
      'issuers: [https://id.example.com]',
      ['1:11: an issuer must be an object.'],
    ],
    [
      'an unknown key',
      `isuers: []\n${issuerWith()}`,
      ['1:1: unknown key "isuers". Did you mean "issuers"?'],
    ],
    [
      'a key of a later version',
      `${issuerWith()}console: {}`,
      ['4:1: unknown key "console". Legal here: issuers, basic.'],
    ],
    ['a key that stands twice', `${issuerWith()}basic: off\nbasic: tokens`, [/^5:1: .*twice/]],
    [
      'a wrong word',
      `${issuerWith()}basic: token`,
      ['4:8: "basic" must be off or tokens. Did you mean "tokens"?'],
    ],
    [
      'an issuer without marks',
      'issuers: [{}]',
      ['1:11: an issuer needs the key "issuer".', '1:11: an issuer needs the key "audience".'],
    ],
    [
      'two issuers of one name',
      `${issuerWith()}  - ${ISSUER}`,
      ['4:13: "issuer" is listed twice.'],
    ],
    [
      'a query',
      'issuers: [{ issuer: "https://id.example.com?a", audience: a }]',
      [/^1:21: "issuer" must be an https URL .* without a query\.$/],
    ],
    [
      'no audience',
      'issuers: [{ issuer: "https://id.example.com", audience: [] }]',
      ['1:57: "audience" must not be empty.'],
    ],
  ])('of the file: %s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(
      problems.map((each) => (typeof each === 'string' ? each : expect.stringMatching(each))),
    );
  });

  it.each<[string, string, string | RegExp]>([
    ['a symmetric algorithm', 'algorithms: [HS256]', /^4:17: "algorithms" can't have HS256: /],
    ['none', 'algorithms: [none]', /^4:17: "algorithms" can't have none: /],
    ['a slip', 'algorithms: [RS265]', /can't have "RS265"\. Did you mean "RS256"\?/],
    ['an algorithm twice', 'algorithms: [ES256, ES256]', '4:25: "ES256" is listed twice.'],
    ['a number', 'clockTolerance: 30', '4:21: "clockTolerance" must be a text: put it in quotes.'],
    [
      'a long tolerance',
      'clockTolerance: 301s',
      '4:21: "clockTolerance" must be whole seconds from 0s to 300s, such as 30s.',
    ],
    ['a short one', 'clockTolerance: 500ms', /whole seconds/],
    ['keys at http', 'jwks: http://id.example.com/keys', /^4:11: "jwks" must be an https URL/],
    ['a key of a user', 'user: { nmae: email }', /^4:13: unknown key "nmae"\. .*"name"/],
    ['a Boolean text', 'user: { create: yes }', '4:21: "create" must be true or false.'],
    [
      'an account of nobody',
      'account: { create: true }\n    user: { create: false }',
      /^4:24: "create" can be true only where/,
    ],
    [
      'a template',
      'account: { name: "{nmae}" }',
      '4:22: "name" has {nmae}, which stands for nothing. Legal here: {name}.',
    ],
    ['no role', 'roles: { claim: groups }', '4:12: "roles" needs the key "allow".'],
    ['no client', 'logout: {}', '4:13: "logout" needs the key "clients".'],
    ['no secret', 'opaque: { clientId: a }', '4:13: "opaque" needs the key "secretFile".'],
    [
      'a secret in the file',
      'opaque: { clientId: a, secret: s3cret, secretFile: secret }',
      /^4:28: unknown key "secret"\./,
    ],
    [
      'a secret for its path',
      'opaque: { clientId: a, secretFile: s3cret }',
      '4:40: "secretFile" names no file that can be read, as seen from this file (ENOENT).',
    ],
    [
      'an empty secret',
      'opaque: { clientId: a, secretFile: empty }',
      '4:40: "secretFile" names an empty file.',
    ],
    [
      'a long cache',
      'opaque: { clientId: a, secretFile: secret, cache: 10m }',
      '4:55: "cache" must be whole seconds from 1s to 300s, such as 30s.',
    ],
    [
      'no introspection',
      'opaque: { clientId: a, secretFile: secret, introspect: false }',
      '4:60: "introspect" must be true, or the URL.',
    ],
    [
      'no place of introspection',
      'opaque: { clientId: a, secretFile: secret }\n    jwks: https://id.example.com/keys',
      '4:13: "introspect" must be the URL of introspection, since "jwks" is given.',
    ],
  ])('in an issuer: %s', (_, line, problem) => {
    const [first, ...others] = problemsOf(issuerWith(...line.split('\n    ')));
    expect(others).toEqual([]);
    if (typeof problem === 'string') expect(first).toBe(problem);
    else expect(first).toMatch(problem);
  });

  it.each<[string, string, string | RegExp]>([
    [
      'no expression',
      "is: '(', mode: read",
      /^5:30: "is" is not a regular expression \(flag u\): /,
    ],
    ['look-around', "is: '(?=a)', mode: read", /^5:30: "is" is no pattern that takes linear time/],
    ['a long repetition', "is: 'a{1001}', mode: read", /^5:30: "is" is no pattern/],
    [
      'a group that is not there',
      "is: '(a)', mode: read",
      '5:58: "account" has {2}, which stands for nothing. Legal here: {0}, {1}.',
    ],
    ['a missing key', "is: '(a)(b)'", '5:9: a rule of "access" needs the key "mode".'],
    ['a wrong mode', "is: '(a)(b)', mode: raed", /^5:46: "mode" must be read or write\. .*"read"/],
  ])('in a rule: %s', (_, keys, problem) => {
    const problems = problemsOf(
      issuerWith('access:', `  - { claim: groups, ${keys}, account: '{2}' }`),
    );
    expect(problems).toEqual([
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    ]);
  });

  it('of two issuers with opaque tokens', () => {
    const opaque = 'opaque: { clientId: a, secretFile: secret }';
    const other = '  - issuer: https://other.example.com\n    audience: a\n';
    expect(problemsOf(`${issuerWith(opaque)}${other}    ${opaque}`)).toEqual([
      '7:13: "opaque" stands at two issuers: such a token does not say whose it is.',
    ]);
  });

  it('of all problems, in their order', () => {
    const text = issuerWith('user: { id: 7 }', 'logout: {}');
    const places = problemsOf(`${text}basic: on`).map((line) => line.split(': ')[0]);
    expect(places).toEqual(['4:17', '5:13', '6:8']);
  });
});

it.each<[string, string | Uint8Array, string]>([
  ['no UTF-8', Uint8Array.of(0xff, 0xfe), 'is not in UTF-8'],
  ['a megabyte and more', ' '.repeat(1_000_001), '(EFBIG)'],
  ['an alias within itself', 'issuers: &a [*a]', 'nests too deeply or is too large here'],
])('A file of %s is refused', (_, text, problem) => {
  expect(problemsOf(text)).toEqual([expect.stringContaining(problem)]);
});

it('A file that is missing is refused', () => {
  expect(() => readAuthFile(join(folder, 'nowhere.yaml'), [])).toThrow(/nowhere\.yaml: .*ENOENT/);
});
