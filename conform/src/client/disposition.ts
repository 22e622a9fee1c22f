/**
 * Returns the file name that a Content-Disposition header gives (RFC 6266 4.3): of both forms the
 * extended one counts. Null where there is none, and where the header can't be read.
 */
export function readFileName(header: string): string | null {
  const parameters = new Map<string, string>();
  const type = /^\s*[!#$%&'*+.^_`|~0-9A-Za-z-]+\s*/.exec(header)?.[0] ?? '';
  let rest = header.slice(type.length);
  while (rest !== '') {
    const [whole, name, quoted, token] = PARAMETER.exec(rest) ?? [];
    if (whole === undefined || name === undefined) return null;
    const value = quoted === undefined ? (token ?? '') : quoted.replace(/\\(.)/gs, '$1');
    // RFC 6266 4.1: a name that is there twice makes the header invalid.
    if (parameters.has(name.toLowerCase())) return null;
    parameters.set(name.toLowerCase(), value);
    rest = rest.slice(whole.length);
  }
  const extended = parameters.get('filename*');
  return extended === undefined ? (parameters.get('filename') ?? null) : decodeExtended(extended);
}

const PARAMETER =
  /^;\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z-]+))\s*/s;

/** Returns the text of an extended value (RFC 8187 3.2.1), which all producers write in UTF-8. */
function decodeExtended(value: string): string | null {
  const [, text] = /^utf-8'[^']*'(.*)$/i.exec(value) ?? [];
  if (text === undefined) return null;
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
