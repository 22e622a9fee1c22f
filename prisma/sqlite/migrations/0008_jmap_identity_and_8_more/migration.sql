-- AlterTable
ALTER TABLE "JmapUser" ADD COLUMN "disabled" BIGINT;
ALTER TABLE "JmapUser" ADD COLUMN "roles" JSONB;
ALTER TABLE "JmapUser" ADD COLUMN "signedOut" BIGINT;

-- AlterTable
ALTER TABLE "JmapToken" ADD COLUMN "capabilities" JSONB;
ALTER TABLE "JmapToken" ADD COLUMN "types" JSONB;

-- AlterTable
ALTER TABLE "JmapTicket" ADD COLUMN "signIn" JSONB;

-- AlterTable
ALTER TABLE "JmapPushSubscription" ADD COLUMN "signIn" JSONB;

-- CreateTable
CREATE TABLE "JmapIdentity" (
    "issuer" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "created" BIGINT NOT NULL,

    PRIMARY KEY ("issuer", "subject")
);

-- CreateTable
CREATE TABLE "JmapLogout" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "at" BIGINT NOT NULL,
    "expires" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "JmapAudit" (
    "version" BIGINT NOT NULL,
    "place" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "actorId" TEXT,
    "action" TEXT NOT NULL,
    "objectId" TEXT NOT NULL,
    "detail" JSONB,

    PRIMARY KEY ("version", "place")
);

-- CreateTable
CREATE TABLE "JmapRate" (
    "key" TEXT NOT NULL PRIMARY KEY,
    "points" BIGINT NOT NULL,
    "expires" BIGINT NOT NULL
);

-- CreateIndex
CREATE INDEX "JmapIdentity_userId_idx" ON "JmapIdentity"("userId");

-- CreateIndex
CREATE INDEX "JmapLogout_expires_idx" ON "JmapLogout"("expires");

-- CreateIndex
CREATE INDEX "JmapAudit_at_idx" ON "JmapAudit"("at");

-- CreateIndex
CREATE INDEX "JmapRate_expires_idx" ON "JmapRate"("expires");

-- CreateIndex
CREATE INDEX "JmapAccount_name_idx" ON "JmapAccount"("name");
