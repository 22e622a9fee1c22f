import type { Credential } from '../principal.js';
import { signInCredential } from '../sign-in.js';
import { TokenRefusedError } from './access-token.js';
import type { Claims } from './claims.js';
import type { Provider } from './open-provider.js';
import { type DisplayName, displayNameOf, signInOf } from './sign-in-of.js';

/** A user whose token is good, maybe for the first time. */
export interface Visitor {
  readonly provider: Provider;
  readonly subject: string;
  readonly displayName: DisplayName;
}

export interface Reception {
  /** Makes the user where there is none. Resolves to false where none may be made. */
  readonly welcome: (visitor: Visitor) => Promise<boolean>;
  /** Is told why a token is refused, without a value of it; `issuer` is a configured one. */
  readonly onRefused: (reason: string, issuer: string) => void;
}

/**
 * Resolves to the credential `id` of a token whose claims `judge` gives; null where it is refused.
 * Rejects as `judge` does, but for refusals.
 */
export async function acceptToken(
  reception: Reception,
  provider: Provider,
  id: string,
  judge: () => Promise<Claims | null>,
): Promise<Credential | null> {
  const { issuer } = provider.settings.rules;
  try {
    const claims = await judge();
    return claims && (await welcomeUser(reception, provider, id, claims));
  } catch (error) {
    if (!(error instanceof TokenRefusedError)) throw error;
    reception.onRefused(error.message, issuer);
    return null;
  }
}

async function welcomeUser(
  { welcome, onRefused }: Reception,
  provider: Provider,
  id: string,
  claims: Claims,
): Promise<Credential | null> {
  const { rules, user } = provider.settings;
  const signIn = signInOf(claims, provider.settings);
  if (signIn === null) {
    onRefused(`"${user.id}" is no name`, rules.issuer);
    return null;
  }
  const displayName = displayNameOf(claims, provider.settings);
  if (await welcome({ provider, subject: signIn.subject, displayName }))
    return signInCredential(id, signIn);
  onRefused('nobody has made its user, and "create" is false', rules.issuer);
  return null;
}
