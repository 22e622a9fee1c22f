import { type EdgeResponse, endsConnection, type SharedHead } from './edge-response.js';

const CLOSE: readonly string[] = Object.freeze(['Connection', 'close']);
const NOTHING: readonly string[] = Object.freeze([]);

/** The heads for the CORS parts that there are, each made once. */
export function createSharedHeads(
  fixed: readonly string[],
): (cors: readonly string[]) => SharedHead {
  const heads = new WeakMap<readonly string[], SharedHead>();
  const fixedLines = linesOf(fixed);
  const openingLines = `HTTP/1.1 200 OK\r\n${fixedLines}X-Request-Id: `;
  return (cors) => {
    let head = heads.get(cors);
    if (head === undefined) {
      head = Object.freeze({ fixed, cors, fixedLines, openingLines, corsLines: linesOf(cors) });
      heads.set(cors, head);
    }
    return head;
  };
}

/** Names and values in turn: security headers, request id, CORS. Every answer begins with them. */
export function edgeHeaders(res: EdgeResponse): readonly string[] {
  const { fixed, cors } = res.sharedHead;
  return fixed.concat(['X-Request-Id', res.requestId], cors, endsConnection(res) ? CLOSE : NOTHING);
}

/**
 * Begins an answer of the hot path. `lines` are further headers as text, each line with its end: of our making alone,
 * since nobody looks at them again.
 */
export function writeFixedHead(res: EdgeResponse, lines: string, octets: number): void {
  const length = ['Content-Length', String(octets)];
  if (!res.server.usesInternals) {
    res.writeHead(200, edgeHeaders(res).concat(namesAndValues(lines), length));
    return;
  }
  const { fixedLines, corsLines } = res.sharedHead;
  res.preface = `${fixedLines}X-Request-Id: ${res.requestId}\r\n${corsLines}${lines}`;
  res.writeHead(200, endsConnection(res) ? [...CLOSE, ...length] : length);
}

/** The opposite of `linesOf`. */
function namesAndValues(lines: string): readonly string[] {
  const headers: string[] = [];
  for (const line of lines.split('\r\n')) {
    const colon = line.indexOf(': ');
    if (colon !== -1) headers.push(line.slice(0, colon), line.slice(colon + 2));
  }
  return headers;
}

/** Throws where a name or value could be more than one line. */
export function linesOf(headers: readonly string[]): string {
  let lines = '';
  for (let at = 0; at < headers.length; at += 2) {
    const line = `${headers[at] ?? ''}: ${headers[at + 1] ?? ''}`;
    if (!ONE_LINE.test(line)) throw new Error(`No header: ${JSON.stringify(line)}.`);
    lines += `${line}\r\n`;
  }
  return lines;
}

const ONE_LINE = /^[!#$%&'*+.^_`|~\dA-Za-z-]+: [\t\x20-\x7e\x80-\xff]*$/;
