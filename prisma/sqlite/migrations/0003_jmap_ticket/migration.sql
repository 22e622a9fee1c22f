-- CreateTable
CREATE TABLE "JmapTicket" (
    "hash" BLOB NOT NULL PRIMARY KEY,
    "tokenId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "expires" BIGINT NOT NULL
) WITHOUT ROWID;

-- CreateIndex
CREATE INDEX "JmapTicket_userId_expires_idx" ON "JmapTicket"("userId", "expires");

-- CreateIndex
CREATE INDEX "JmapTicket_expires_idx" ON "JmapTicket"("expires");
