-- AlterTable
ALTER TABLE "JmapChange" ADD COLUMN "scopes" TEXT;
ALTER TABLE "JmapChange" ADD COLUMN "scopesBefore" TEXT;

-- CreateTable
CREATE TABLE "JmapScope" (
    "accountId" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "objectId" TEXT NOT NULL,
    "scope" TEXT NOT NULL,
    "number" BIGINT NOT NULL,
    "gone" BOOLEAN NOT NULL,

    PRIMARY KEY ("accountId", "type", "objectId", "scope")
) WITHOUT ROWID;

-- CreateTable
CREATE TABLE "JmapGrant" (
    "accountId" TEXT NOT NULL,
    "principalId" TEXT NOT NULL,
    "scope" TEXT NOT NULL,

    PRIMARY KEY ("accountId", "principalId", "scope")
) WITHOUT ROWID;

-- CreateIndex
CREATE INDEX "JmapScope_accountId_type_scope_number_gone_idx" ON "JmapScope"("accountId", "type", "scope", "number", "gone");

-- CreateIndex
CREATE INDEX "JmapGrant_accountId_scope_idx" ON "JmapGrant"("accountId", "scope");

-- CreateIndex
CREATE INDEX "JmapGrant_principalId_idx" ON "JmapGrant"("principalId");
