-- AlterTable
ALTER TABLE "JmapChange" ADD COLUMN     "scopes" TEXT COLLATE "C",
ADD COLUMN     "scopesBefore" TEXT COLLATE "C";

-- CreateTable
CREATE TABLE "JmapScope" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "type" TEXT COLLATE "C" NOT NULL,
    "objectId" TEXT COLLATE "C" NOT NULL,
    "scope" TEXT COLLATE "C" NOT NULL,
    "number" BIGINT NOT NULL,
    "gone" BOOLEAN NOT NULL,

    CONSTRAINT "JmapScope_pkey" PRIMARY KEY ("accountId","type","objectId","scope")
);

-- CreateTable
CREATE TABLE "JmapGrant" (
    "accountId" TEXT COLLATE "C" NOT NULL,
    "principalId" TEXT COLLATE "C" NOT NULL,
    "scope" TEXT COLLATE "C" NOT NULL,

    CONSTRAINT "JmapGrant_pkey" PRIMARY KEY ("accountId","principalId","scope")
);

-- CreateIndex
CREATE INDEX "JmapScope_accountId_type_scope_number_gone_idx" ON "JmapScope"("accountId", "type", "scope", "number", "gone");

-- CreateIndex
CREATE INDEX "JmapGrant_accountId_scope_idx" ON "JmapGrant"("accountId", "scope");

-- CreateIndex
CREATE INDEX "JmapGrant_principalId_idx" ON "JmapGrant"("principalId");
