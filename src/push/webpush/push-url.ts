import { LONGEST_URL } from '../../accounts/push-port.js';
import { parseUrl } from '../../runtime/parse-url.js';

/** The "bad ports" of the Fetch standard: other protocols' servers, which a POST might confuse. */
const BLOCKED_PORTS: ReadonlySet<number> = new Set([
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101],
  ...[102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389],
  ...[427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636],
  ...[989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080],
]);

export interface UrlFault {
  /** Goes on from the word `url`. */
  readonly problem: string;
}

/**
 * Parses the `url` of a PushSubscription (RFC 8620 7.2). Returns a fault where its form alone makes
 * it unusable. A host name in another script becomes its ASCII form. `Reach` judges where it leads.
 */
export function parsePushUrl(text: string): URL | UrlFault {
  if (text.length > LONGEST_URL) {
    return { problem: `must have at most ${LONGEST_URL} characters, not ${text.length}` };
  }
  const [, authority] = /^https:\/\/([^/?]+)/i.exec(text) ?? [];
  if (authority === undefined) return { problem: 'must begin with https:// and a host' };
  // A parser of URLs would take these, and send to another place than it seems.
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(text)) {
    return { problem: 'must have no white space, control character or backslash' };
  }
  if (text.includes('#')) return { problem: 'must have no fragment' };
  if (authority.includes('@')) return { problem: 'must have no user and no password' };
  const url = parseUrl(text);
  if (url === null) return { problem: 'must be a URL with a valid host and port' };
  if (url.hostname.endsWith('.')) return { problem: 'must have a host without a dot at its end' };
  if (!BLOCKED_PORTS.has(Number(url.port || 443))) return url;
  return { problem: `must have no port of another protocol, such as ${url.port}` };
}
