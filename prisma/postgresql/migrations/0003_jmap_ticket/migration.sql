-- CreateTable
CREATE TABLE "JmapTicket" (
    "hash" BYTEA NOT NULL,
    "tokenId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "expires" BIGINT NOT NULL,

    CONSTRAINT "JmapTicket_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "JmapTicket_userId_expires_idx" ON "JmapTicket"("userId", "expires");

-- CreateIndex
CREATE INDEX "JmapTicket_expires_idx" ON "JmapTicket"("expires");
