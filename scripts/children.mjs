import { spawn } from 'node:child_process';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The time that a child has to end before it is killed, in milliseconds. */
const PATIENCE = 5000;

const running = new Set();
let guards = 0;
let ending = false;

/**
 * Runs `work`, which may start children (`runChild`). A signal that would end this process ends
 * them first, and this process once they are gone: left behind, one would write on while the next
 * process builds. The signals are taken before the first child is there: one that comes while it is
 * being started finds it.
 */
export async function withChildren(work) {
  guards += 1;
  if (guards === 1) for (const signal of SIGNALS) process.on(signal, end);
  try {
    return await work();
  } finally {
    guards -= 1;
    if (guards === 0 && !ending) release();
  }
}

/**
 * Runs a command to its end, inside of `withChildren`; resolves to its exit code and what it wrote.
 */
export function runChild(command, args, options) {
  return new Promise((resolve, reject) => {
    // This process is about to end: nothing more is begun.
    if (ending) return;
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    const chunks = [];
    const printed = [];
    child.stdout.on('data', (chunk) => {
      chunks.push(chunk);
      printed.push(chunk);
    });
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => {
      running.delete(child);
      reject(error);
    });
    child.on('close', (code) => {
      running.delete(child);
      if (!ending) resolve({ code, output: textOf(chunks), stdout: textOf(printed) });
    });
  });
}

function textOf(chunks) {
  return Buffer.concat(chunks).toString('utf8').trim();
}

async function end(signal) {
  if (ending) return;
  ending = true;
  await Promise.all([...running].map((child) => endChild(child, signal)));
  release();
  process.kill(process.pid, signal);
}

function endChild(child, signal) {
  return new Promise((resolve) => {
    child.once('close', resolve);
    child.kill(signal);
    setTimeout(() => child.kill('SIGKILL'), PATIENCE).unref();
  });
}

function release() {
  for (const signal of SIGNALS) process.off(signal, end);
}
