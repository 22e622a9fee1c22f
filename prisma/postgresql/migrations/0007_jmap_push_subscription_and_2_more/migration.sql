-- CreateTable
CREATE TABLE "JmapPushSubscription" (
    "id" TEXT COLLATE "C" NOT NULL,
    "tokenId" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "deviceClientId" TEXT COLLATE "C" NOT NULL,
    "url" TEXT COLLATE "C" NOT NULL,
    "p256dh" TEXT COLLATE "C",
    "auth" TEXT COLLATE "C",
    "types" JSONB,
    "expires" BIGINT NOT NULL,
    "created" BIGINT NOT NULL,
    "code" TEXT COLLATE "C" NOT NULL,
    "verified" BIGINT,
    "verificationSent" BIGINT,
    "wrongCodes" BIGINT NOT NULL,
    "wrongSince" BIGINT,
    "vapidKey" TEXT COLLATE "C",
    "shard" INTEGER NOT NULL,
    "told" TEXT COLLATE "C",
    "failures" BIGINT NOT NULL,
    "firstFailure" BIGINT,
    "notBefore" BIGINT,
    "lastSuccess" BIGINT,
    "lastFailure" BIGINT,
    "lastFailureReason" TEXT COLLATE "C",

    CONSTRAINT "JmapPushSubscription_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "JmapVapidKey" (
    "id" TEXT COLLATE "C" NOT NULL,
    "private" TEXT COLLATE "C" NOT NULL,
    "public" TEXT COLLATE "C" NOT NULL,
    "created" BIGINT NOT NULL,
    "retires" BIGINT,

    CONSTRAINT "JmapVapidKey_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "JmapPushCreation" (
    "id" TEXT COLLATE "C" NOT NULL,
    "userId" TEXT COLLATE "C" NOT NULL,
    "host" TEXT COLLATE "C",
    "at" BIGINT NOT NULL,

    CONSTRAINT "JmapPushCreation_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "JmapPushSubscription_tokenId_idx" ON "JmapPushSubscription"("tokenId");

-- CreateIndex
CREATE INDEX "JmapPushSubscription_userId_idx" ON "JmapPushSubscription"("userId");

-- CreateIndex
CREATE INDEX "JmapPushSubscription_shard_idx" ON "JmapPushSubscription"("shard");

-- CreateIndex
CREATE INDEX "JmapPushSubscription_expires_idx" ON "JmapPushSubscription"("expires");

-- CreateIndex
CREATE INDEX "JmapPushCreation_userId_at_idx" ON "JmapPushCreation"("userId", "at");

-- CreateIndex
CREATE INDEX "JmapPushCreation_host_at_idx" ON "JmapPushCreation"("host", "at");

-- CreateIndex
CREATE INDEX "JmapPushCreation_at_idx" ON "JmapPushCreation"("at");
