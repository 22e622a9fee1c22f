// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

/**
 * Arguments of Gadget/rebuild.
 *
 * @deprecated Nothing needs it.
 */
export interface GadgetRebuildArguments {
  accountId: string;
  id: string;
  /**
   * Where it stands.
   */
  at?: Address;
}

/**
 * Response of Gadget/rebuild.
 *
 * @deprecated Nothing needs it.
 */
export interface GadgetRebuildResponse {
  accountId?: string;
  rebuilt?: boolean;
}

/**
 * Where it stands.
 */
export interface Address {
  street?: string;
  floor?: (number | null);
}
