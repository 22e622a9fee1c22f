-- DropIndex
DROP INDEX "JmapGrant_principalId_idx";

-- CreateTable
CREATE TABLE "JmapReach" (
    "principalId" TEXT NOT NULL PRIMARY KEY,
    "number" BIGINT NOT NULL
) WITHOUT ROWID;

-- CreateIndex
CREATE INDEX "JmapReach_number_idx" ON "JmapReach"("number");

-- CreateIndex
CREATE INDEX "JmapGrant_principalId_accountId_scope_idx" ON "JmapGrant"("principalId", "accountId", "scope");
