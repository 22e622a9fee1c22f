import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ConfigError, readConfig } from '../../src/server/config.js';
import { makeAuthority } from '../support/certificates.js';

const read = (env: Record<string, string>, root = '/project') => readConfig(env, root).push;

it('the contact for push services is a URL at a public name', () => {
  const contact = 'mailto:operator@example.com';
  expect(read({ PUSH_CONTACT: contact }).contact).toBe(contact);
});

it('lists of subnets and hosts are separated by commas', () => {
  const { allow, deny, hosts } = read({
    PUSH_ALLOW: '10.1.0.0/16, fd00::/8',
    PUSH_DENY: '10.1.2.3',
    PUSH_HOSTS: '*.push.apple.com,fcm.googleapis.com',
  });
  const texts = [allow, deny, hosts].map((list) => list.map(({ text }) => text));
  expect(texts).toEqual([
    ['10.1.0.0/16', 'fd00::/8'],
    ['10.1.2.3'],
    ['*.push.apple.com', 'fcm.googleapis.com'],
  ]);
});

it('certificates of further authorities come from a file, without what is around them', () => {
  const [first, second] = [makeAuthority().ca, makeAuthority().ca];
  const folder = mkdtempSync(join(tmpdir(), 'push-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, `# ours\n${first}text\n${second}`);
  expect(read({ PUSH_CA: file }).ca).toBe(`${first}${second}`);
  expect(read({ PUSH_CA: `./${basename(file)}` }, dirname(file)).ca).toBe(`${first}${second}`);
});

it.each([
  ['PUSH_CONTACT', 'operator@example.com', 'a mailto: or https: URL at a public name'],
  ['PUSH_CONTACT', 'mailto:operator@localhost', 'a mailto: or https: URL at a public name'],
  ['PUSH_ALLOW', '10.0.0.0/8,localhost', 'a list of addresses or subnets'],
  ['PUSH_DENY', '10.0.0.0-10.0.0.9', 'a list of addresses or subnets'],
  ['PUSH_HOSTS', 'https://push.example.com', 'a list of host names'],
  ['PUSH_CA', '/nowhere/ca.pem', 'the path of a file with certificates in PEM'],
  ['PUSH_CA', import.meta.filename, 'the path of a file with certificates in PEM'],
])('%s=%s is refused with its name and what is legal', (name, value, legal) => {
  const start = (): unknown => read({ [name]: value });
  expect(start).toThrow(ConfigError);
  expect(start).toThrow(new RegExp(`^${name}=.*: it takes ${legal}`));
});
