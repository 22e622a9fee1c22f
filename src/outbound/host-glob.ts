/** Matches host names. */
export interface HostGlob {
  readonly text: string;
  matches(host: string): boolean;
}

/** Parses a host name in which `*` stands for any characters: `*.push.example.com`. */
export function parseHostGlob(text: string): HostGlob | null {
  const glob = text.toLowerCase();
  if (!/^[a-z0-9.*:[\]-]+$/.test(glob) || glob.length > 253) return null;
  if (glob.includes('**')) return null;
  const pattern = glob.replace(/[.[\]]/g, '\\$&').replaceAll('*', '.*');
  const expression = new RegExp(`^${pattern}$`);
  return { text, matches: (host) => expression.test(host) };
}
