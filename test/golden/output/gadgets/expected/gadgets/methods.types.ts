// Generated from capabilities/gadgets.yaml by `npm run generate`. Change the descriptor, not this file.

/**
 * Arguments of Gadget/rebuild.
 */
export interface GadgetRebuildArguments {
  accountId: string;
  id: string;
  share?: number;
}

/**
 * Response of Gadget/rebuild.
 */
export interface GadgetRebuildResponse {
  accountId?: string;
  rebuilt?: boolean;
}
