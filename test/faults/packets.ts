import { spawnSync } from 'node:child_process';

/** The rules for a TCP port of this machine: packets that it sends, and packets to it. */
function rulesOf(port: number): readonly (readonly string[])[] {
  return ['--sport', '--dport'].map((side) => [
    ...['OUTPUT', '-o', 'lo', '-p', 'tcp', side, String(port)],
    ...['-j', 'DROP'],
  ]);
}

/** Runs iptables; returns what it complains of, null for nothing. */
function complaintOf(action: '-I' | '-D', rule: readonly string[]): string | null {
  const { status, stderr, error } = spawnSync('iptables', ['-w', action, ...rule], {
    encoding: 'utf8',
  });
  if (status === 0) return null;
  return error?.message ?? stderr.trim();
}

function drop(port: number, action: '-I' | '-D'): string | null {
  return rulesOf(port)
    .map((rule) => complaintOf(action, rule))
    .reduce((first, complaint) => first ?? complaint, null);
}

/** Why this machine can't drop packets; null where it can. Nobody uses port 1. */
export const NO_PACKET_FILTER = drop(1, '-I') ?? drop(1, '-D');

/**
 * Has all packets of the connections of a port of this machine disappear, without a word to either
 * side, until the result is called.
 */
export function dropPackets(port: number): () => void {
  const complaint = drop(port, '-I');
  if (complaint !== null) throw new Error(complaint);
  const restore = (): void => {
    process.off('exit', restore);
    drop(port, '-D');
  };
  process.once('exit', restore);
  return restore;
}
