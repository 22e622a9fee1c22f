import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PACKAGE, TEAM } from './build-layout.mjs';
import { computeStamp, inputFiles } from './build-stamp.mjs';
import { reportFailure } from './build-tools.mjs';
import { DevServers } from './dev-servers.mjs';
import { SourceWatch } from './dev-watch.mjs';
import { endWithLauncher } from './launcher.mjs';
import { acceptBuild, QuickBuildError, quickBuild } from './quick-build.mjs';

/** `jmapsmith dev`: generates, compiles and serves, again whenever a file changes. */

const COMMAND = join(PACKAGE, 'bin', 'jmapsmith.mjs');

/** Runs until Ctrl-C; resolves to the exit code. */
export async function develop(root) {
  endWithLauncher();
  const development = new Development(root);
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve(0));
  });
  const code = await Promise.race([development.run(), interrupted]);
  await development.close();
  return code;
}

class Development {
  #root;
  #servers;
  #watch;
  #check;
  /** Whether nobody has told yet if the types of what is served are right. */
  #isUnchecked = false;
  #refuse;
  /** The hook files that the generator saw when it last ran well. */
  #generatedFor;

  constructor(root) {
    this.#root = root;
    this.#servers = new DevServers(root, (how) =>
      tell(`The server ended (${how}). It starts again at the next change.`),
    );
    this.#watch = new SourceWatch(root, (changed) => this.#update(changed));
  }

  /** Resolves to an exit code where the first start is refused. */
  async run() {
    const refused = new Promise((resolve) => {
      this.#refuse = resolve;
    });
    const begun = this.#watch.begin();
    // The compiler takes a moment to load, which the first change need not wait for.
    begun.then(() => import('typescript'));
    return refused;
  }

  async close() {
    this.#check?.kill();
    await this.#watch.close();
    await this.#servers.close();
  }

  /** Brings everything up to date; `changed` is null at first. */
  async #update(changed) {
    this.#check?.kill();
    const began = performance.now();
    try {
      if (!(await this.#generate(changed))) return this.#tellKept();
      const stamp = computeStamp(this.#root, TEAM);
      const isNew = await quickBuild(this.#root);
      if (!isNew && this.#servers.isServing) {
        tell('Nothing to restart for.');
        if (this.#isUnchecked) this.#checkTypes(stamp);
        return;
      }
      const { message, code } = await this.#servers.replace();
      if (message !== undefined) return this.#tellFailure(message, code, changed);
      const seconds = ((performance.now() - began) / 1000).toFixed(2);
      tell(
        changed === null
          ? `Watching capabilities/ and what it imports. Ctrl-C ends.`
          : `Restarted in ${seconds} s: ${changed.join(', ')}`,
      );
      this.#checkTypes(stamp);
    } catch (error) {
      if (error instanceof QuickBuildError) await tellProblems(this.#root, error.problems);
      else reportFailure(error);
      this.#tellKept();
    }
  }

  /** Generates, unless hook files alone changed; resolves to whether it succeeded. */
  async #generate(changed) {
    const hooks = inputFiles(this.#root, TEAM).filter((name) => name.endsWith('.hooks.ts'));
    const isOnlyText =
      changed?.every(
        (name) => (name.endsWith('.ts') && !name.startsWith('evolve/')) || name === 'tsconfig.json',
      ) === true;
    if (isOnlyText && this.#generatedFor === hooks.join()) return true;
    this.#generatedFor = undefined;
    const { generate } = await import(distURL('scripts/generator/command'));
    const code = await generate({ root: this.#root, check: false, dryRun: false, watch: false });
    if (code === 0) this.#generatedFor = hooks.join();
    return code === 0;
  }

  #tellFailure(message, code, changed) {
    process.stderr.write(`${message}\n`);
    // No change of a file would mend a variable, a port or a lock. A migration it would.
    const isMended = code === undefined || message.includes('migration');
    if (changed === null && !isMended) this.#refuse(code);
    else this.#tellKept();
  }

  #tellKept() {
    tell(
      this.#servers.isServing
        ? 'The server goes on as it was before the change.'
        : 'No server runs. It starts when this is mended.',
    );
  }

  /** Checks types behind the start. A build that is whole spares other commands theirs. */
  #checkTypes(stamp) {
    const child = spawn(process.execPath, [COMMAND, 'check'], {
      cwd: this.#root,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#check = child;
    this.#isUnchecked = true;
    let output = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.once('close', (code) => {
      if (this.#check !== child || child.killed) return;
      this.#isUnchecked = false;
      if (code === 0) acceptBuild(this.#root, stamp).catch(reportFailure);
      else process.stderr.write(`${output.trim()}\n`);
    });
  }
}

/** Shows errors with the lines that they are about. */
async function tellProblems(root, problems) {
  const { excerpt } = await import(distURL('src/descriptor/report/descriptor-excerpt'));
  const { styleOf } = await import(distURL('src/descriptor/report/style'));
  const style = styleOf(process.stderr, process.env);
  for (const { message, ...at } of problems) {
    const source = readFileSync(join(root, at.file), 'utf8');
    const lines = excerpt(source, at, style);
    const place = `${at.file}:${at.line}:${at.column}`;
    process.stderr.write(`${[`${place}: ${message}`, ...lines].join('\n')}\n`);
  }
}

function distURL(module) {
  return pathToFileURL(join(PACKAGE, 'dist', `${module}.js`)).href;
}

function tell(text) {
  process.stdout.write(`${text}\n`);
}
