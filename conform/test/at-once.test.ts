import { execFile } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeUser } from '../../test/support/fixtures.js';
import { ROOT, type RunningServer, useServer } from '../../test/support/server.js';
import { conform } from '../src/command.js';
import { onCalls } from './faults/makers.js';
import { type Fault, FaultyProxy } from './proxy.js';

// Checks that do two things at the same time: where one goes wrong the other ends as well, and the
// run goes on.

const CHECKS = ['changes-busy-writer', 'query-changes-busy-writer'];

interface Report {
  readonly outcomes: readonly { id: string; status: string; reason?: string; failure?: object }[];
  readonly warnings?: readonly string[];
}

const isWrite = (name: string, args: object, text: RegExp): boolean =>
  name === 'Todo/set' && 'create' in args && text.test(JSON.stringify(args));

/** Fails the calls that this says yes to, of which nothing is done then. */
const failing = (fails: (name: string, args: object) => boolean): Fault => ({
  name: 'fails now and then',
  checks: [],
  ...onCalls(([name, args, id]) => [fails(name, args) ? 'no/such' : name, args, id]),
});

async function broken(server: RunningServer, user: string, fault: Fault) {
  const made = await makeUser(server, user);
  const proxy = await FaultyProxy.start(server.url);
  onTestFinished(() => proxy.close());
  proxy.fault = fault;
  return { ...made, url: proxy.url };
}

const statuses = ({ outcomes }: Report) => outcomes.map(({ id, status }) => [id, status]);

const FAILED = CHECKS.map((id) => [id, 'failed']);

describe('a server that', () => {
  const server = useServer();

  it('fails a write: each check has failed, the report is whole, and nothing is left', async () => {
    const fault = failing((name, args) => isWrite(name, args, /"w2"/));
    const { url, token, client, accountId } = await broken(server(), 'write', fault);
    const options = ['--url', url, '--token', token, '--report', 'json', '--type', 'Todo'];
    const args = ['--import', 'tsx/esm', 'conform/src/main.ts', ...options];
    // As a process: what nobody handles would end it.
    const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
      const command = [...args, ...CHECKS.flatMap((id) => ['--check', id])];
      execFile(process.execPath, command, { cwd: ROOT }, (error, out) =>
        resolve({ code: error?.code ?? 0, stdout: out }),
      );
    });
    const report = JSON.parse(stdout) as Report;
    expect([code, statuses(report), report.warnings ?? []]).toEqual([1, FAILED, []]);
    expect(JSON.stringify(report.outcomes[0]?.failure)).toContain('unknownMethod');
    expect((await client.get('Todo', { accountId, ids: null })).list).toEqual([]);
  });

  it('fails a read: nothing is written once the check has failed', async () => {
    const seen: string[] = [];
    const fault = failing((name, args) => {
      const isRead = name === 'Todo/queryChanges' || ('ids' in args && args.ids === null);
      if (isWrite(name, args, /"w\d+"/)) seen.push('write');
      // The first one after a write of the check.
      if (!isRead || seen.at(-1) !== 'write' || seen.includes('failed')) return false;
      seen.push('failed');
      return true;
    });
    const { url, token, client, accountId } = await broken(server(), 'read', fault);
    const options = { url, token, transport: 'http', report: 'json', type: ['Todo'] };
    for (const id of CHECKS) {
      seen.length = 0;
      const ended = await conform({ ...options, check: [id] }, {}, () => undefined);
      const report = JSON.parse(ended.report) as Report;
      const written = seen.length;
      expect([statuses(report), report.warnings ?? []]).toEqual([[[id, 'failed']], []]);
      expect((await client.get('Todo', { accountId, ids: null })).list).toEqual([]);
      // Of twelve: those of before, and what was under way.
      expect(seen.filter((one) => one === 'write').length).toBeLessThan(12);
      expect(seen.length).toBe(written);
    }
  });
});

describe('a server that takes one request at a time', () => {
  const server = useServer({ env: { MAX_CONCURRENT_REQUESTS: '1' } });

  it('is not asked for two', async () => {
    const { token } = await makeUser(server(), 'one');
    const options = { url: server().url, token, transport: 'http', report: 'json', type: ['Todo'] };
    const { report } = await conform({ ...options, check: CHECKS }, {}, () => undefined);
    expect((JSON.parse(report) as Report).outcomes).toMatchObject(
      CHECKS.map((id) => ({ id, status: 'notApplicable', reason: expect.stringMatching(/2 req/) })),
    );
  });
});
