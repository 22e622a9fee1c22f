-- DropIndex
DROP INDEX "JmapScope_accountId_type_scope_number_gone_idx";


-- outside a transaction
CREATE INDEX CONCURRENTLY "JmapScope_scope_accountId_type_number_gone_idx" ON "JmapScope"("scope", "accountId", "type", "number", "gone");
