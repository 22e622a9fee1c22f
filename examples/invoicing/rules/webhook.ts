/**
 * Posts an event to INVOICING_WEBHOOK, which knows a repeated one by its key. Without that variable
 * nobody is told. Rejects where the receiver refuses it: the server then tries again.
 */
export async function tell(event: object, key: string, signal: AbortSignal): Promise<void> {
  const url = process.env['INVOICING_WEBHOOK'];
  if (url === undefined) return;
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(event), signal });
  if (!answer.ok) throw new Error(`The webhook answered ${answer.status}.`);
}
