-- DropIndex
DROP INDEX "JmapGrant_principalId_idx";

-- CreateTable
CREATE TABLE "JmapReach" (
    "principalId" TEXT COLLATE "C" NOT NULL,
    "number" BIGINT NOT NULL,

    CONSTRAINT "JmapReach_pkey" PRIMARY KEY ("principalId")
);

-- CreateIndex
CREATE INDEX "JmapReach_number_idx" ON "JmapReach"("number");


-- outside a transaction
CREATE INDEX CONCURRENTLY "JmapGrant_principalId_accountId_scope_idx" ON "JmapGrant"("principalId", "accountId", "scope");
