import { describe, expect, it } from 'vitest';
import { usualSettings } from '../../src/accounts/oidc/settings.js';
import { ConfigError, readConfig } from '../../src/server/config.js';

const read = (env: Record<string, string>) => readConfig(env, '/project').auth;
const ISSUER = 'https://id.example.com/realms/team';

describe('Identity providers', () => {
  it('are one by two variables', () => {
    const auth = read({ OIDC_ISSUER: ISSUER, OIDC_AUDIENCE: 'https://jmap.example.com/api, jmap' });
    expect(auth).toEqual({
      file: null,
      allow: [],
      settings: {
        providers: [usualSettings(ISSUER, ['https://jmap.example.com/api', 'jmap'])],
        basic: 'off',
      },
    });
  });

  it('are those of a file', () => {
    const auth = read({ AUTH_FILE: './auth.yaml', OIDC_ALLOW: '10.0.0.0/8' });
    expect(auth.file).toBe('/project/auth.yaml');
    expect(auth.allow.map(({ text }) => text)).toEqual(['10.0.0.0/8']);
  });

  it('stand inside and over http as far as OIDC_ALLOW says', () => {
    const env = { OIDC_ISSUER: 'http://127.0.0.1:9000', OIDC_AUDIENCE: 'a' };
    expect(read({ ...env, OIDC_ALLOW: '127.0.0.1' }).settings.providers).toHaveLength(1);
    expect(() => read({ ...env, OIDC_ALLOW: '10.0.0.1' })).toThrow(ConfigError);
  });

  it('leave Basic off, unless it is asked for', () => {
    expect(read({ BASIC_AUTH: 'tokens' }).settings.basic).toBe('tokens');
  });

  it.each<[string, Record<string, string>, string]>([
    ['no audience', { OIDC_ISSUER: ISSUER }, 'OIDC_AUDIENCE'],
    ['no issuer', { OIDC_AUDIENCE: 'a' }, 'OIDC_ISSUER'],
    ['an empty audience', { OIDC_ISSUER: ISSUER, OIDC_AUDIENCE: 'a,' }, 'OIDC_AUDIENCE'],
    ['an issuer at http', { OIDC_ISSUER: 'http://a.example', OIDC_AUDIENCE: 'a' }, 'OIDC_ISSUER'],
    ['one inside', { OIDC_ISSUER: 'https://10.0.0.1', OIDC_AUDIENCE: 'a' }, 'OIDC_ISSUER'],
    ['one with a query', { OIDC_ISSUER: `${ISSUER}?a`, OIDC_AUDIENCE: 'a' }, 'OIDC_ISSUER'],
    ['a file beside an issuer', { OIDC_ISSUER: ISSUER, AUTH_FILE: 'a.yaml' }, 'OIDC_ISSUER'],
    ['a file beside BASIC_AUTH', { BASIC_AUTH: 'off', AUTH_FILE: 'a.yaml' }, 'BASIC_AUTH'],
    ['another word', { BASIC_AUTH: 'on' }, 'BASIC_AUTH'],
    ['a name for an address', { OIDC_ALLOW: 'localhost' }, 'OIDC_ALLOW'],
  ])('are refused with %s', (_, env, variable) => {
    expect(() => read(env)).toThrow(ConfigError);
    expect(() => read(env)).toThrow(new RegExp(`^${variable}=`));
  });

  it('keep a password in their URL out of messages', () => {
    const env = { OIDC_ISSUER: 'https://a:s3cret@id.example.com', OIDC_AUDIENCE: 'a' };
    expect(() => read(env)).toThrow(/^(?!.*s3cret)/s);
  });
});
