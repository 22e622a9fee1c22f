import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../../../test/support/poll.js';
import { freePort } from '../../../test/support/postgresql-cluster.js';

// Cyrus IMAP, a JMAP server in C: https://www.cyrusimap.org.

const run = promisify(execFile);

const PROGRAMS = '/usr/lib/cyrus/bin';

/** Why tests against Cyrus are skipped, and how to run them; null: they run. */
export const NO_CYRUS = !existsSync(`${PROGRAMS}/httpd`)
  ? 'no Cyrus: install it (Debian 12: apt-get install cyrus-imapd cyrus-caldav)'
  : process.getuid?.() !== 0
    ? 'Cyrus starts as root alone, and goes on as its own user'
    : null;

export interface Cyrus {
  /** The session resource. */
  readonly url: string;
  /** Sends requests as the user ann, who has an inbox. */
  readonly fetch: typeof fetch;
  remove(): Promise<void>;
}

/** Starts a server with one user, in a folder of its own. */
export async function startCyrus(): Promise<Cyrus> {
  const folder = await mkdtemp(join(tmpdir(), 'jmapsmith-cyrus-'));
  const [http, imap] = [await freePort(), await freePort()];
  for (const name of ['conf', 'spool', 'run/lock', 'run/proc'])
    await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, 'imapd.conf'), configure(folder));
  await writeFile(join(folder, 'cyrus.conf'), listServices(folder, http, imap));
  await run('chown', ['-R', 'cyrus:mail', folder]);
  const config = ['-C', join(folder, 'imapd.conf'), '-M', join(folder, 'cyrus.conf')];
  const args = ['-D', ...config, '-p', join(folder, 'run/master.pid')];
  const child = spawn(join(PROGRAMS, 'master'), args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await eventually(() => signIn(imap));
  return {
    url: `http://127.0.0.1:${http}/jmap/`,
    fetch: (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set('authorization', `Basic ${btoa('ann:any')}`);
      return fetch(url, { ...init, headers });
    },
    async remove() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configure(folder: string): string {
  return `configdirectory: ${folder}/conf
proc_path: ${folder}/run/proc
mboxname_lockpath: ${folder}/run/lock
defaultpartition: default
partition-default: ${folder}/spool
httpmodules: jmap
conversations: yes
sasl_pwcheck_method: alwaystrue
sasl_mech_list: PLAIN LOGIN
allowplaintext: yes
autocreate_users: anyone
autocreate_quota: 0
search_engine: xapian
defaultsearchtier: t1
t1searchpartition-default: ${folder}/spool
`;
}

function listServices(folder: string, http: number, imap: number): string {
  const program = (name: string): string => `${PROGRAMS}/${name} -C ${folder}/imapd.conf`;
  return `START {
  recover cmd="${program('ctl_cyrusdb')} -r"
}
SERVICES {
  http cmd="${program('httpd')}" listen="127.0.0.1:${http}" prefork=0
  imap cmd="${program('imapd')}" listen="127.0.0.1:${imap}" prefork=0
}
EVENTS {
}
`;
}

/** Signs in by IMAP, which makes the user's inbox. */
function signIn(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let told = '';
    socket.once('error', reject).once('close', () => reject(new Error(`It told: ${told}`)));
    socket.setEncoding('utf8').on('data', (text: string) => {
      told += text;
      if (told.includes('a OK')) {
        resolve();
        socket.end('b LOGOUT\r\n');
      } else if (told === text) socket.write('a LOGIN ann any\r\n');
    });
  });
}
