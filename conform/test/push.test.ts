import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { conform } from '../src/command.js';
import { makeKeys } from '../src/push/decrypt.js';
import { PushSink } from '../src/push/sink.js';
import { CERTIFICATE } from './certificate.js';
import { PUSH_FLAWS, type PushFlaw } from './push-flaws.js';
import { PUSH_IDS, usePushRuns } from './push-runs.js';
import { PUSHED, PushServer } from './push-server.js';

// A server of push subscriptions with one flaw at a time: what it pushes no proxy can change.

const ran = usePushRuns();

describe('a server of push subscriptions', () => {
  it.concurrent('without a sink the checks of deliveries say what to pass', async () => {
    const { outcomes } = await ran({ flaw: null, checks: PUSH_IDS, hasSink: false });
    const reasons = new Set(
      outcomes.flatMap(({ status, reason = '' }) => (status === 'notApplicable' ? [reason] : [])),
    );
    const rest = [...reasons].filter((reason) => !reason.startsWith('One type is enough'));
    expect(rest).toEqual([expect.stringContaining('--push-sink URL')]);
    expect(outcomes.filter(({ status }) => status === 'failed')).toEqual([]);
  });

  it('has a flaw for each check', () => {
    const noticed = new Set<string>(Object.values(PUSH_FLAWS).flat());
    expect([...noticed].sort()).toEqual([...PUSH_IDS].sort());
  });

  it.concurrent.each(Object.entries(PUSH_FLAWS))('is wrong where %s: %j', async (flaw, checks) => {
    // They are to fail: a short wait shows it as well.
    const { outcomes } = await ran({ flaw: flaw as PushFlaw, checks, patience: 1500 });
    const failed = outcomes.filter(({ status }) => status === 'failed');
    expect(failed.map(({ check }) => check.id)).toEqual(expect.arrayContaining([...checks]));
  });
});

describe('the options of a sink', () => {
  const file = join(tmpdir(), `conform-push-${process.pid}.pem`);
  const SINK = 'https://127.0.0.1:0/';

  it.each([
    [{ 'push-listen': '1' }, '--push-listen is for --push-sink URL'],
    [{ 'push-certificate': 'x.pem' }, '--push-certificate is for --push-sink URL'],
    [{ 'push-sink': 'x' }, 'is no URL'],
    [{ 'push-sink': 'http://example.com/' }, 'does not begin with https://'],
    [{ 'push-sink': 'https://a:b@example.com/' }, 'no user and no password'],
    [{ 'push-sink': 'https://example.com/?a' }, 'no query'],
    [{ 'push-sink': SINK, 'push-listen': '65536' }, 'a port from 0 to 65535, not 65536'],
    [{ 'push-sink': SINK, 'push-certificate': '/nowhere.pem' }, "can't be read (ENOENT)"],
    [{ 'push-sink': SINK, 'push-certificate': file }, 'no certificate with its private key'],
  ])('are refused by name: %j', async (given, words) => {
    await writeFile(file, CERTIFICATE.cert);
    const options = { url: 'http://127.0.0.1:1', token: 't', transport: 'http', report: 'text' };
    await expect(conform({ ...options, ...given }, {}, () => undefined)).rejects.toThrow(words);
    await rm(file);
  });

  it('let the command take pushes, with a certificate and key in one file', async () => {
    const pushing = await PushServer.start(null);
    const descriptor = `${file}.yaml`;
    await writeFile(descriptor, PUSHED.text);
    await writeFile(file, CERTIFICATE.cert + CERTIFICATE.key);
    const { report, failed } = await conform(
      {
        ...{ url: pushing.url, token: 't', transport: 'http', report: 'json' },
        ...{ descriptor: [descriptor], check: ['push-verification'], type: ['Thing'] },
        ...{ 'push-sink': SINK, 'push-certificate': file },
      },
      {},
      () => undefined,
    );
    pushing.close();
    await Promise.all([rm(file), rm(descriptor)]);
    expect([failed, JSON.parse(report)]).toMatchObject([false, { counts: { passed: 1 } }]);
  });

  it('let a program in front have the certificate, and change the path', async () => {
    const plain = await PushSink.start({ url: 'https://push.example/a/b', port: 0 });
    const inbox = plain.open();
    const { port } = plain.address;
    const name = inbox.url.slice('https://push.example/a/b/'.length);
    for (const path of [`/${name}`, `/x/${name}?y`, '/nobody'])
      await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: path });
    plain.close();
    expect(inbox.pushes.map(({ octets }) => octets.toString())).toEqual([
      `/${name}`,
      `/x/${name}?y`,
    ]);
  });
});

it('RFC 8291 5: the message of the example is decrypted', () => {
  const decode = (text: string): Buffer => Buffer.from(text, 'base64url');
  const keys = makeKeys({
    private: decode('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'),
    auth: decode('BTBZMqHH6r4Tts7J_aSIgg'),
  });
  const message = [
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIg',
    'Dll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVB',
    'St2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  ].join('');
  expect(keys.decrypt(decode(message)).toString()).toBe(
    'When I grow up, I want to be a watermelon',
  );
});
