import type { AuthSettings } from '../accounts/oidc/settings.js';
import type { AuthConfig } from './auth-config.js';

/**
 * Resolves to the settings of identity providers. A server without AUTH_FILE loads nothing that
 * reads YAML. Rejects with AuthFileError.
 */
export async function loadAuth({ file, allow, settings }: AuthConfig): Promise<AuthSettings> {
  if (file === null) return settings;
  const { readAuthFile } = await import('./auth-file/auth-file.js');
  return readAuthFile(file, allow);
}
