import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RUN_FOLDER } from './once-in-run.js';

const RUN_TOOLS = fileURLToPath(new URL('run-tools.mjs', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A tool and its arguments; a number stands for the output of the step with that index. */
export type ToolStep = readonly [script: string, args: readonly (string | number)[]];

export interface ToolRequest {
  /** Of a project that is built. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly ToolStep[];
  /** Whether a step is taken after one that failed. */
  readonly goesOn?: boolean;
}

/** How a program ended, and what it printed. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
}

interface Answer {
  readonly id: number;
  readonly results: readonly CommandResult[];
}

interface Waiting {
  resolve(results: readonly CommandResult[]): void;
  reject(error: Error): void;
}

/** A process that runs tools, one after another: each in a process of its own costs a second. */
class Operator {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor() {
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
    this.#child = fork(RUN_TOOLS, { execArgv: [], stdio: [...stdio] });
    this.#child.on('message', ({ id, results }: Answer) => this.#waiting.get(id)?.resolve(results));
    this.#child.once('exit', (code, signal) => {
      const error = new Error(`The process of the tools ended with ${code ?? signal}.`);
      for (const { reject } of this.#waiting.values()) reject(error);
    });
    // It ends with this process, and keeps it from no end.
    this.#child.unref();
    this.#child.channel?.unref();
  }

  run(request: ToolRequest): Promise<readonly CommandResult[]> {
    this.#asked += 1;
    const id = this.#asked;
    const answer = new Promise<readonly CommandResult[]>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.send({ id, ...request });
    });
    return answer.finally(() => this.#waiting.delete(id));
  }

  end(): void {
    this.#child.disconnect();
  }
}

/** Of this worker, for projects that stay as they are. */
let operator: Operator | undefined;

/** Runs tools that must succeed; resolves to what each wrote to standard output, trimmed. */
export async function runTools(request: ToolRequest): Promise<readonly string[]> {
  const results = await runSteps(request);
  for (const [at, { code, stderr }] of results.entries())
    if (code !== 0)
      throw new Error(`${request.steps[at]?.join(' ')} ended with ${code}: ${stderr}`);
  return results.map(({ stdout }) => stdout.trim());
}

/** Runs tools of a project, up to the first that fails unless the request goes on. */
export async function runSteps(request: ToolRequest): Promise<readonly CommandResult[]> {
  if (isUnchanging(request.root)) {
    operator ??= new Operator();
    return operator.run(request);
  }
  // Modules that were loaded before a further build are those of the build before.
  const own = new Operator();
  try {
    return await own.run(request);
  } finally {
    own.end();
  }
}

/** Whether nobody builds a project anew during a run: this repository, or one that files share. */
function isUnchanging(root: string): boolean {
  const shared = process.env[RUN_FOLDER];
  return root === ROOT || (shared !== undefined && root.startsWith(shared));
}
