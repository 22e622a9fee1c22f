import { execFile } from 'node:child_process';
import { ROOT } from '../support/server.js';

/** The findings of a run of the conformance runner. */
export interface Report {
  readonly counts: { readonly passed: number; readonly failed: number };
  /** Why the run is not whole. */
  readonly ended?: string;
  readonly outcomes: readonly {
    readonly id: string;
    readonly type: string | null;
    readonly status: 'passed' | 'failed' | 'notApplicable';
    readonly failure?: { readonly message: string };
    readonly reason?: string;
  }[];
}

/** Runs `npm run conform` with these arguments, strictly and with a fixed seed. */
export function runConform(args: readonly string[]): Promise<Report> {
  const more = ['--report', 'json', '--seed', '1', '--strict'];
  const command = ['--import', 'tsx/esm', 'conform/src/main.ts', ...args, ...more];
  return new Promise((resolve, reject) => {
    const options = { cwd: ROOT, maxBuffer: 2 ** 28 };
    execFile(process.execPath, command, options, (_error, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr));
      else resolve(JSON.parse(stdout) as Report);
    });
  });
}
