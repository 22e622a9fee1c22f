/**
 * Says whether users may send from an address: all may from the domains that the setting
 * MAIL_DOMAINS lists (`example.com,example.org`). Without it they may from all domains, but for
 * `.invalid` (RFC 2606). A team asks its directory here.
 */
export function maySendFrom(email: string): boolean {
  const { MAIL_DOMAINS = '' } = process.env;
  const domains = MAIL_DOMAINS.toLowerCase()
    .split(/[\s,]+/)
    .filter((domain) => domain !== '');
  const domain = domainOf(email);
  return domains.length === 0 ? !domain.endsWith('.invalid') : domains.includes(domain);
}

/** Says why a user must not send at all, or null: MAIL_SUSPENDED lists the ids of such users. */
export function whyNotToSend(userId: string): string | null {
  const { MAIL_SUSPENDED = '' } = process.env;
  const isSuspended = MAIL_SUSPENDED.split(/[\s,]+/).includes(userId);
  return isSuspended ? 'You must not send messages at present. Ask your administrator.' : null;
}

/** Says whether an address is that of an identity, or one of its domain (RFC 8621 6). */
export function isOfIdentity(email: string, identity: string): boolean {
  if (identity.startsWith('*@')) return domainOf(email) === domainOf(identity);
  const local = (address: string) => address.slice(0, address.lastIndexOf('@'));
  return domainOf(email) === domainOf(identity) && local(email) === local(identity);
}

/** Says whether a text is a mailbox that SMTP takes (RFC 5321 4.1.2, RFC 6531). */
export function isAddress(email: string): boolean {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, Math.max(at, 0));
  const isLocal = /^"(?:[^"\\\p{Cc}]|\\[ -~])*"$|^[^\s"(),:;<>@[\\\]\p{Cc}]+$/u.test(local);
  const domain = email.slice(at + 1);
  const label = '[\\p{L}\\p{N}](?:[\\p{L}\\p{N}-]*[\\p{L}\\p{N}])?';
  const isDomain = new RegExp(`^(?:${label}(?:\\.${label})*|\\[[\\w.:]+\\])$`, 'u').test(domain);
  return isLocal && isDomain && Buffer.byteLength(local) <= 64 && Buffer.byteLength(email) <= 254;
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}
